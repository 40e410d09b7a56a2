// A block of a transformer: one attention head of 64 over 64 positions of 128,
// then two layers of 512; each with the input added.
util.global private @wq = #util.byte_pattern<59> : tensor<128x64xf32>
util.global private @wk = #util.byte_pattern<60> : tensor<128x64xf32>
util.global private @wv = #util.byte_pattern<59> : tensor<128x64xf32>
util.global private @wo = #util.byte_pattern<60> : tensor<64x128xf32>
util.global private @w1 = #util.byte_pattern<59> : tensor<128x512xf32>
util.global private @w2 = #util.byte_pattern<60> : tensor<512x128xf32>

func.func @transformer(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %wq = util.global.load @wq : tensor<128x64xf32>
  %wk = util.global.load @wk : tensor<128x64xf32>
  %wv = util.global.load @wv : tensor<128x64xf32>
  %wo = util.global.load @wo : tensor<64x128xf32>
  %w1 = util.global.load @w1 : tensor<128x512xf32>
  %w2 = util.global.load @w2 : tensor<512x128xf32>
  %head = arith.constant dense<0.0> : tensor<64x64xf32>
  %wide = arith.constant dense<0.0> : tensor<64x512xf32>
  %scale = arith.constant dense<0.125> : tensor<64x64xf32>
  %q = linalg.matmul ins(%x, %wq : tensor<64x128xf32>, tensor<128x64xf32>)
      outs(%head : tensor<64x64xf32>) -> tensor<64x64xf32>
  %k = linalg.matmul ins(%x, %wk : tensor<64x128xf32>, tensor<128x64xf32>)
      outs(%head : tensor<64x64xf32>) -> tensor<64x64xf32>
  %v = linalg.matmul ins(%x, %wv : tensor<64x128xf32>, tensor<128x64xf32>)
      outs(%head : tensor<64x64xf32>) -> tensor<64x64xf32>
  %empty = tensor.empty() : tensor<64x64xf32>
  %kt = linalg.transpose ins(%k : tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%head : tensor<64x64xf32>) -> tensor<64x64xf32>
  %scaled = arith.mulf %s, %scale : tensor<64x64xf32>
  %p = linalg.softmax dimension(1) ins(%scaled : tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%p, %v : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%head : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = linalg.matmul ins(%a, %wo : tensor<64x64xf32>, tensor<64x128xf32>)
      outs(%x : tensor<64x128xf32>) -> tensor<64x128xf32>
  %h = linalg.matmul ins(%o, %w1 : tensor<64x128xf32>, tensor<128x512xf32>)
      outs(%wide : tensor<64x512xf32>) -> tensor<64x512xf32>
  %relu = arith.maximumf %h, %wide : tensor<64x512xf32>
  %y = linalg.matmul ins(%relu, %w2 : tensor<64x512xf32>, tensor<512x128xf32>)
      outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
