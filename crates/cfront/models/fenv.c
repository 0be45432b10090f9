/* <fenv.h>: the mode of rounding, by the numbers that it has on this machine. What is computed with the modes is said by the
   front end (load.rs), which looks for this variable. */

static int slam_rounding_mode;

int fegetround(void) {
  return slam_rounding_mode;
}

int fesetround(int mode) {
  if (mode & ~0xc00)
    return 1;
  slam_rounding_mode = mode;
  return 0;
}
