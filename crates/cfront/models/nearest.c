/* <fenv.h> in programs that do not change the mode of rounding. */

int fegetround(void) {
  return 0;
}

void slam_rounds(void) {
}
