// What a module asks its device: present and unknown keys.
// VARIANTS: plain
// CALL: @known_key
// CALL: @unknown_key
// CALL: @device_count
func.func @known_key() -> i1 {
  %c0 = arith.constant 0 : index
  %d = hal.devices.get %c0 : !hal.device
  %ok, %v = hal.device.query<%d : !hal.device> key("hal.executable.format" :: "embedded-elf-x86_64") : i1, i1
  %both = arith.andi %ok, %v : i1
  return %both : i1
}

func.func @unknown_key() -> i1 {
  %c0 = arith.constant 0 : index
  %d = hal.devices.get %c0 : !hal.device
  %ok, %v = hal.device.query<%d : !hal.device> key("nobody.knows" :: "this") : i1, i1
  return %ok : i1
}

func.func @device_count() -> index {
  %n = hal.devices.count : index
  return %n : index
}
