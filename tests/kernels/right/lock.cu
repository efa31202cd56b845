// launch: guarded[4, 8](zeros(1, dtype=torch.int32), zeros(2,
// dtype=torch.int32)) equals: y == torch.tensor([32, 64]).int()

// A lock: one thread at a time changes both numbers.
__global__ void guarded(int* lock, int* y) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      y[0] += 1;
      y[1] += 2;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
