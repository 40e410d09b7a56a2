// Functions of the memref convention, as MLIR itself lowers them: build.sh makes
// kernels.so of this, kernels.json says what each takes and returns.

// A result of its own.
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %c = memref.alloc(%m, %n) {alignment = 64 : i64} : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
                outs(%c : memref<?x?xf32>)
  return %c : memref<?x?xf32>
}

func.func @sum(%a: memref<?xf32, strided<[?], offset: ?>>) -> f32
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32, strided<[?], offset: ?>>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> f32 {
    %x = memref.load %a[%i] : memref<?xf32, strided<[?], offset: ?>>
    %next = arith.addf %t, %x : f32
    scf.yield %next : f32
  }
  return %total : f32
}

// A view of an argument, and one that skips elements.
func.func @tail(%a: memref<?xf32>) -> memref<?xf32, strided<[1], offset: 1>>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = arith.subi %n, %c1 : index
  %view = memref.subview %a[1][%m][1]
      : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  return %view : memref<?xf32, strided<[1], offset: 1>>
}
func.func @evens(%a: memref<8xf32>) -> memref<4xf32, strided<[2]>>
    attributes {llvm.emit_c_interface} {
  %view = memref.subview %a[0][4][2]
      : memref<8xf32> to memref<4xf32, strided<[2]>>
  return %view : memref<4xf32, strided<[2]>>
}
// A result of a dynamic shape, in the caller's memory.
func.func @outer(%a: memref<?xf32>, %b: memref<?xf32>,
                 %c: memref<?x?xf32> {bufferize.result})
    attributes {llvm.emit_c_interface} {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %xy = arith.mulf %x, %y : f32
      linalg.yield %xy : f32
  }
  return
}
func.func @same(%a: memref<?xf32>) -> (memref<?xf32>, memref<?xf32>)
    attributes {llvm.emit_c_interface} {
  return %a, %a : memref<?xf32>, memref<?xf32>
}

// A constant of the library.
memref.global "private" constant @numbers : memref<3xi32> = dense<[2, 3, 5]>
func.func @table() -> memref<3xi32> attributes {llvm.emit_c_interface} {
  %t = memref.get_global @numbers : memref<3xi32>
  return %t : memref<3xi32>
}

// Several results in a struct.
func.func @stats(%a: memref<?xf32>) -> (f32, index, memref<f32>, i1)
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %n = memref.dim %a, %c0 : memref<?xf32>
  %first = memref.load %a[%c0] : memref<?xf32>
  %twice = arith.addf %first, %first : f32
  %m = memref.alloc() : memref<f32>
  memref.store %twice, %m[] : memref<f32>
  return %first, %n, %m, %true : f32, index, memref<f32>, i1
}

// Ranks that only values have.
func.func @rank(%a: memref<*xf32>) -> index attributes {llvm.emit_c_interface} {
  %r = memref.rank %a : memref<*xf32>
  return %r : index
}
func.func @pass(%a: memref<*xf32>) -> memref<*xf32>
    attributes {llvm.emit_c_interface} {
  return %a : memref<*xf32>
}

// Elements of other kinds.
func.func @halves(%a: memref<4xf16>, %by: f16) -> memref<4xf16>
    attributes {llvm.emit_c_interface} {
  %c = memref.alloc() : memref<4xf16>
  affine.for %i = 0 to 4 {
    %x = memref.load %a[%i] : memref<4xf16>
    %y = arith.mulf %x, %by : f16
    memref.store %y, %c[%i] : memref<4xf16>
  }
  return %c : memref<4xf16>
}
func.func @flip(%a: memref<4xi1>) -> memref<4xi1>
    attributes {llvm.emit_c_interface} {
  %true = arith.constant true
  %c = memref.alloc() : memref<4xi1>
  affine.for %i = 0 to 4 {
    %x = memref.load %a[%i] : memref<4xi1>
    %y = arith.xori %x, %true : i1
    memref.store %y, %c[%i] : memref<4xi1>
  }
  return %c : memref<4xi1>
}
func.func @conjugate(%a: memref<2xcomplex<f32>>, %c: memref<2xcomplex<f32>>)
    attributes {llvm.emit_c_interface} {
  affine.for %i = 0 to 2 {
    %x = memref.load %a[%i] : memref<2xcomplex<f32>>
    %re = complex.re %x : complex<f32>
    %im = complex.im %x : complex<f32>
    %neg = arith.negf %im : f32
    %y = complex.create %re, %neg : complex<f32>
    memref.store %y, %c[%i] : memref<2xcomplex<f32>>
  }
  return
}
func.func @iota(%n: index) -> memref<?xindex>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.alloc(%n) : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %i, %c[%i] : memref<?xindex>
  }
  return %c : memref<?xindex>
}
func.func @narrow(%a: i1, %b: i8, %c: i16) -> i8
    attributes {llvm.emit_c_interface} {
  %x = arith.extui %a : i1 to i8
  %y = arith.addi %x, %b : i8
  %z = arith.trunci %c : i16 to i8
  %w = arith.subi %y, %z : i8
  return %w : i8
}
