// A function that calls one of its host's: of a library that was opened before,
// as global, or of the program itself.
func.func private @host_weight(f32) -> f32 attributes {llvm.emit_c_interface}

func.func @weighed(%a: f32) -> f32 attributes {llvm.emit_c_interface} {
  %b = func.call @host_weight(%a) : (f32) -> f32
  return %b : f32
}
