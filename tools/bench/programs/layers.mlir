// Two layers of a transformer: a batch of 8, 256 positions, width 256, one
// head. Intermediate buffers have 2 to 8 MiB.
util.global private @wq = #util.byte_pattern<59> : tensor<256x256xf32>
util.global private @wk = #util.byte_pattern<60> : tensor<256x256xf32>
util.global private @wv = #util.byte_pattern<59> : tensor<256x256xf32>
util.global private @wo = #util.byte_pattern<58> : tensor<256x256xf32>
util.global private @w1 = #util.byte_pattern<59> : tensor<256x1024xf32>
util.global private @w2 = #util.byte_pattern<58> : tensor<1024x256xf32>

func.func private @layer(%x: tensor<2048x256xf32>) -> tensor<2048x256xf32> {
  %wq = util.global.load @wq : tensor<256x256xf32>
  %wk = util.global.load @wk : tensor<256x256xf32>
  %wv = util.global.load @wv : tensor<256x256xf32>
  %wo = util.global.load @wo : tensor<256x256xf32>
  %w1 = util.global.load @w1 : tensor<256x1024xf32>
  %w2 = util.global.load @w2 : tensor<1024x256xf32>
  %narrow = arith.constant dense<0.0> : tensor<2048x256xf32>
  %wide = arith.constant dense<0.0> : tensor<2048x1024xf32>
  %zero = arith.constant dense<0.0> : tensor<8x256x256xf32>
  %scale = arith.constant dense<0.0625> : tensor<8x256x256xf32>
  %empty = tensor.empty() : tensor<8x256x256xf32>
  %q = linalg.matmul ins(%x, %wq : tensor<2048x256xf32>, tensor<256x256xf32>)
      outs(%narrow : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %k = linalg.matmul ins(%x, %wk : tensor<2048x256xf32>, tensor<256x256xf32>)
      outs(%narrow : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %v = linalg.matmul ins(%x, %wv : tensor<2048x256xf32>, tensor<256x256xf32>)
      outs(%narrow : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %qs = tensor.expand_shape %q [[0, 1], [2]] output_shape [8, 256, 256]
      : tensor<2048x256xf32> into tensor<8x256x256xf32>
  %ks = tensor.expand_shape %k [[0, 1], [2]] output_shape [8, 256, 256]
      : tensor<2048x256xf32> into tensor<8x256x256xf32>
  %vs = tensor.expand_shape %v [[0, 1], [2]] output_shape [8, 256, 256]
      : tensor<2048x256xf32> into tensor<8x256x256xf32>
  %kt = linalg.transpose ins(%ks : tensor<8x256x256xf32>)
      outs(%empty : tensor<8x256x256xf32>) permutation = [0, 2, 1]
  %s = linalg.batch_matmul
      ins(%qs, %kt : tensor<8x256x256xf32>, tensor<8x256x256xf32>)
      outs(%zero : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %scaled = arith.mulf %s, %scale : tensor<8x256x256xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<8x256x256xf32>)
      outs(%empty : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %a = linalg.batch_matmul
      ins(%p, %vs : tensor<8x256x256xf32>, tensor<8x256x256xf32>)
      outs(%zero : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %flat = tensor.collapse_shape %a [[0, 1], [2]]
      : tensor<8x256x256xf32> into tensor<2048x256xf32>
  %o = linalg.matmul ins(%flat, %wo : tensor<2048x256xf32>, tensor<256x256xf32>)
      outs(%x : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %h = linalg.matmul ins(%o, %w1 : tensor<2048x256xf32>, tensor<256x1024xf32>)
      outs(%wide : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %relu = arith.maximumf %h, %wide : tensor<2048x1024xf32>
  %y = linalg.matmul ins(%relu, %w2 : tensor<2048x1024xf32>, tensor<1024x256xf32>)
      outs(%o : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  return %y : tensor<2048x256xf32>
}

func.func @layers(%x: tensor<2048x256xf32>) -> tensor<2048x256xf32> {
  %first = func.call @layer(%x) : (tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %second = func.call @layer(%first)
      : (tensor<2048x256xf32>) -> tensor<2048x256xf32>
  return %second : tensor<2048x256xf32>
}
