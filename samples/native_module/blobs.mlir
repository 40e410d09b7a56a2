// How many blobs an image has, and where they are: which pixels hang together
// is found by a function of regions.cc. README.md compiles it.
func.func private @regions.label(tensor<?x?xf32>, f32) -> tensor<?x?xi32>

// `threshold` is what a pixel must have at least. Blobs are numbered from 1.
func.func @blobs(%image: tensor<?x?xf32>, %threshold: f32)
    -> (tensor<?x?xi32>, tensor<i32>) {
  %labels = call @regions.label(%image, %threshold)
      : (tensor<?x?xf32>, f32) -> tensor<?x?xi32>
  %none = arith.constant dense<0> : tensor<i32>
  %count = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%labels : tensor<?x?xi32>) outs(%none : tensor<i32>) {
    ^bb0(%label: i32, %most: i32):
      %more = arith.maxsi %label, %most : i32
      linalg.yield %more : i32
  } -> tensor<i32>
  return %labels, %count : tensor<?x?xi32>, tensor<i32>
}
