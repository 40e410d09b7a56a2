// A kernel that calls `blend_elements` of ../plugin/blender.c, an executable
// plug-in, for each of its workgroups.
module @blending {
  stream.executable private @kernels {
    stream.executable.export public @blend workgroups(%count: index) -> (index, index, index) {
      %groups = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%count]
      %one = arith.constant 1 : index
      stream.return %groups, %one, %one : index, index, index
    }
    builtin.module {
      func.func private @blend_elements(
          %x: memref<f32>, %x_begin: index, %y: memref<f32>, %y_begin: index,
          %out: memref<f32>, %out_begin: index, %count: index, %group: index)
          attributes {hal.import.fields = ["processor_data"], llvm.bareptr = true}
      func.func @blend(%xs: !stream.binding, %ys: !stream.binding,
                       %outs: !stream.binding, %count: index) {
        %zero = arith.constant 0 : index
        %group = stream.dispatch.workgroup.id[0] : index
        %x = stream.binding.subspan %xs[%zero] : !stream.binding -> memref<?xf32>{%count}
        %y = stream.binding.subspan %ys[%zero] : !stream.binding -> memref<?xf32>{%count}
        %out = stream.binding.subspan %outs[%zero] : !stream.binding -> memref<?xf32>{%count}
        %x0, %x1, %x2, %x3 = memref.extract_strided_metadata %x
            : memref<?xf32> -> memref<f32>, index, index, index
        %y0, %y1, %y2, %y3 = memref.extract_strided_metadata %y
            : memref<?xf32> -> memref<f32>, index, index, index
        %o0, %o1, %o2, %o3 = memref.extract_strided_metadata %out
            : memref<?xf32> -> memref<f32>, index, index, index
        func.call @blend_elements(%x0, %x1, %y0, %y1, %o0, %o1, %count, %group)
            : (memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index) -> ()
        return
      }
    }
  }
  // Returns (3x + y) + y.
  func.func @blend(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %zero = arith.constant 0 : index
    %count = tensor.dim %x, %zero : tensor<?xf32>
    %blended = flow.dispatch @kernels::@blend[%count](%x, %y, %count)
        : (tensor<?xf32>{%count}, tensor<?xf32>{%count}, index) -> tensor<?xf32>{%count}
    %sum = arith.addf %blended, %y : tensor<?xf32>
    return %sum : tensor<?xf32>
  }
}
