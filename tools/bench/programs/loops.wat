;; The loops of scalar.mlir and calls.mlir, for WebAssembly.
(module
  (memory 1)

  (func (export "sum_i32") (param $turns i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $done (loop $next
      (br_if $done (i32.ge_s (local.get $i) (local.get $turns)))
      (local.set $sum (i32.xor (local.get $sum) (local.get $i)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (local.get $sum))

  (func (export "arithmetic_i32") (param $turns i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $done (loop $next
      (br_if $done (i32.ge_s (local.get $i) (local.get $turns)))
      (local.set $sum (i32.add
        (i32.xor (i32.mul (local.get $sum) (i32.const 1664525))
                 (local.get $i))
        (i32.const 1664525)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (local.get $sum))

  (func (export "arithmetic_i64") (param $turns i64) (result i64)
    (local $i i64) (local $sum i64)
    (block $done (loop $next
      (br_if $done (i64.ge_s (local.get $i) (local.get $turns)))
      (local.set $sum (i64.add
        (i64.xor (i64.mul (local.get $sum) (i64.const 6364136223846793005))
                 (local.get $i))
        (i64.const 6364136223846793005)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br $next)))
    (local.get $sum))

  (func (export "arithmetic_f32") (param $turns i32) (param $factor f32)
    (result f32)
    (local $i i32) (local $sum f32)
    (local.set $sum (f32.const 1))
    (block $done (loop $next
      (br_if $done (i32.ge_s (local.get $i) (local.get $turns)))
      (local.set $sum (f32.sub
        (f32.add (f32.mul (local.get $sum) (local.get $factor))
                 (f32.const 1))
        (local.get $factor)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (local.get $sum))

  (func (export "buffer") (param $turns i32) (result i32)
    (local $i i32)
    (i32.store (i32.const 0) (i32.const 1))
    (block $done (loop $next
      (br_if $done (i32.ge_s (local.get $i) (local.get $turns)))
      (i32.store (i32.const 0)
        (i32.add (i32.load (i32.const 0)) (local.get $i)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (i32.load (i32.const 0)))

  (func $step (param $sum i32) (param $i i32) (result i32)
    (i32.xor (local.get $sum) (local.get $i)))
  (func (export "calls") (param $count i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $done (loop $next
      (br_if $done (i32.ge_s (local.get $i) (local.get $count)))
      (local.set $sum (call $step (local.get $sum) (local.get $i)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (local.get $sum))

  (func $fib (export "fib") (param $n i32) (result i32)
    (if (result i32) (i32.lt_s (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else (i32.add
        (call $fib (i32.sub (local.get $n) (i32.const 1)))
        (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
)
