// What callback.so asks its host for.
float _mlir_ciface_host_weight(float value);
float _mlir_ciface_host_weight(float value) { return value * 9.75f; }
