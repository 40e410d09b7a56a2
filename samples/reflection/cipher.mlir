// Caesar's cipher: a text and a dict go in, a dict comes out. What the slots of
// the lists mean, only the record "iree.abi" says. README.md compiles it.
func.func @encipher(%text: !util.buffer, %key: !util.list<?>) -> !util.list<?>
    attributes {iree.reflection = {"iree.abi" = "{\"v\": 1, \"doc\": \"Moves letters along the alphabet, and counts them.\", \"a\": [[\"named\", \"text\", \"unknown\"], [\"named\", \"key\", [\"sdict\", [\"by\", \"i32\"], [\"shout\", \"i1\"]]]], \"r\": [[\"sdict\", [\"text\", \"unknown\"], [\"letters\", \"i64\"], [\"histogram\", [\"py_homogeneous_list\", \"i64\"]]]]}"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c26 = arith.constant 26 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %alphabet = arith.constant 26 : i32
  %zero = arith.constant 0 : i32
  %lower_a = arith.constant 97 : i32
  %upper_a = arith.constant 65 : i32
  %case = arith.constant 32 : i32

  %by = util.list.get %key[%c0] : !util.list<?> -> i32
  %shout = util.list.get %key[%c1] : !util.list<?> -> i32
  %shouts = arith.cmpi ne, %shout, %zero : i32

  %size = util.buffer.size %text : !util.buffer
  %moved = util.buffer.alloc uninitialized : !util.buffer{%size}
  %histogram = util.list.create %c26 : !util.list<i64>
  util.list.resize %histogram, %c26 : !util.list<i64>

  %letters = scf.for %i = %c0 to %size step %c1 iter_args(%n = %none) -> (i64) {
    %byte = util.buffer.load %text[%i for %c1] : !util.buffer{%size} -> i8
    %code = arith.extui %byte : i8 to i32
    // Upper and lower case differ in one bit; what is left is 0 to 25.
    %folded = arith.ori %code, %case : i32
    %place = arith.subi %folded, %lower_a : i32
    %is_letter = arith.cmpi ult, %place, %alphabet : i32
    %next = scf.if %is_letter -> (i64) {
      %sum = arith.addi %place, %by : i32
      %signed = arith.remsi %sum, %alphabet : i32
      %again = arith.addi %signed, %alphabet : i32
      %new = arith.remsi %again, %alphabet : i32
      %given_case = arith.andi %code, %case : i32
      %new_case = arith.select %shouts, %zero, %given_case : i32
      %upper = arith.addi %new, %upper_a : i32
      %shown = arith.ori %upper, %new_case : i32
      %out = arith.trunci %shown : i32 to i8
      util.buffer.store %out, %moved[%i for %c1] : i8 -> !util.buffer{%size}
      %slot = arith.index_cast %place : i32 to index
      %seen = util.list.get %histogram[%slot] : !util.list<i64>
      %more = arith.addi %seen, %one : i64
      util.list.set %histogram[%slot], %more : !util.list<i64>
      %counted = arith.addi %n, %one : i64
      scf.yield %counted : i64
    } else {
      util.buffer.store %byte, %moved[%i for %c1] : i8 -> !util.buffer{%size}
      scf.yield %n : i64
    }
    scf.yield %next : i64
  }

  %result = util.list.create %c3 : !util.list<?>
  util.list.resize %result, %c3 : !util.list<?>
  util.list.set %result[%c0], %moved : !util.buffer -> !util.list<?>
  util.list.set %result[%c1], %letters : i64 -> !util.list<?>
  util.list.set %result[%c2], %histogram : !util.list<i64> -> !util.list<?>
  return %result : !util.list<?>
}
