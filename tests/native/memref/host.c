// The host function that callback.so calls.
float _mlir_ciface_host_weight(float value);
float _mlir_ciface_host_weight(float value) { return value * 9.75f; }
