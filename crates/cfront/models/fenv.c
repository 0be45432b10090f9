/* <fenv.h> in programs that change the mode of rounding; its numbers are those of this machine. What is computed with the mode the
   front end says (load.rs), which looks for this variable. */

static int slam_rounding_mode;

void __slam_unmodelled(const char *);

int fegetround(void) {
  return slam_rounding_mode;
}

int fesetround(int mode) {
  if (mode & ~0xc00)
    return 1;
  slam_rounding_mode = mode;
  return 0;
}

/* The bodies of models are rounded to nearest. */
void slam_rounds(void) {
  if (slam_rounding_mode != 0)
    __slam_unmodelled("a function of <math.h> that is rounded in another mode");
}
