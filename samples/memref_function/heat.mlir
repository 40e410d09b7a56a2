// Heat in a plate: each step makes every inner point the mean of its four
// neighbours; the rim stays as it is. build.sh lowers it, README.md runs it.
module @plate {
  func.func @heat(%start: memref<?x?xf32>, %steps: index) -> memref<?x?xf32>
      attributes {llvm.emit_c_interface} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %quarter = arith.constant 0.25 : f32
    %rows = memref.dim %start, %c0 : memref<?x?xf32>
    %columns = memref.dim %start, %c1 : memref<?x?xf32>
    %a = memref.alloc(%rows, %columns) {alignment = 64 : i64} : memref<?x?xf32>
    %b = memref.alloc(%rows, %columns) {alignment = 64 : i64} : memref<?x?xf32>
    memref.copy %start, %a : memref<?x?xf32> to memref<?x?xf32>
    memref.copy %start, %b : memref<?x?xf32> to memref<?x?xf32>
    %last_row = arith.subi %rows, %c1 : index
    %last_column = arith.subi %columns, %c1 : index
    %result, %spare = scf.for %step = %c0 to %steps step %c1
        iter_args(%from = %a, %to = %b)
        -> (memref<?x?xf32>, memref<?x?xf32>) {
      scf.for %i = %c1 to %last_row step %c1 {
        %up = arith.subi %i, %c1 : index
        %down = arith.addi %i, %c1 : index
        scf.for %j = %c1 to %last_column step %c1 {
          %left = arith.subi %j, %c1 : index
          %right = arith.addi %j, %c1 : index
          %n = memref.load %from[%up, %j] : memref<?x?xf32>
          %s = memref.load %from[%down, %j] : memref<?x?xf32>
          %w = memref.load %from[%i, %left] : memref<?x?xf32>
          %e = memref.load %from[%i, %right] : memref<?x?xf32>
          %ns = arith.addf %n, %s : f32
          %we = arith.addf %w, %e : f32
          %sum = arith.addf %ns, %we : f32
          %mean = arith.mulf %sum, %quarter : f32
          memref.store %mean, %to[%i, %j] : memref<?x?xf32>
        }
      }
      scf.yield %to, %from : memref<?x?xf32>, memref<?x?xf32>
    }
    memref.dealloc %spare : memref<?x?xf32>
    return %result : memref<?x?xf32>
  }

  // The mean of all points.
  func.func @mean(%plate: memref<?x?xf32>) -> f32
      attributes {llvm.emit_c_interface} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %plate, %c0 : memref<?x?xf32>
    %columns = memref.dim %plate, %c1 : memref<?x?xf32>
    %total = scf.for %i = %c0 to %rows step %c1 iter_args(%t = %zero) -> f32 {
      %row = scf.for %j = %c0 to %columns step %c1 iter_args(%u = %t) -> f32 {
        %x = memref.load %plate[%i, %j] : memref<?x?xf32>
        %next = arith.addf %u, %x : f32
        scf.yield %next : f32
      }
      scf.yield %row : f32
    }
    %points = arith.muli %rows, %columns : index
    %count = arith.index_cast %points : index to i64
    %divisor = arith.sitofp %count : i64 to f32
    %mean = arith.divf %total, %divisor : f32
    return %mean : f32
  }
}
