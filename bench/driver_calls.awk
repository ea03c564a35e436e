# Reads a profile of callgrind's and prints three sums of instructions:
#
#   <all> <in calls into the driver> <in those that are not of `operation`>
#
# -v driver=<part of its file's name> -v operation=<the function that can't be done without>
#
# In the format (valgrind's manual, "Callgrind Format Specification") names are written once, as "(3) name", and later
# as "(3)"; "calls=" is followed by a line whose second field is the inclusive cost of those calls; "cob=" names
# the object called where it is another than the caller's.

function full_name(text, known,    key) {
  key = substr(text, 1, index(text, ")"))
  if (length(text) > length(key)) {
    known[key] = substr(text, length(key) + 2)
  }
  return known[key]
}

/^ob=/ { object = full_name(substr($0, 4), objects) }
/^fn=/ { full_name(substr($0, 4), functions); called_object = object }
/^cob=/ { called_object = full_name(substr($0, 5), objects) }
/^cfn=/ { called = full_name(substr($0, 5), functions) }
/^summary:/ { all = $2 }
/^calls=/ {
  getline
  if (index(object, driver) == 0 && index(called_object, driver) != 0) {
    in_driver += $2
    if (called != operation) {
      in_others += $2
    }
  }
  called_object = object
}

END { printf "%d %d %d\n", all, in_driver, in_others }
