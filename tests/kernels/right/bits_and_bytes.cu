// launch: bits[1, 32](randint(0, 2**31 - 1, (32,), dtype=torch.int32),
// zeros(32, dtype=torch.int32), zeros(32, dtype=torch.uint8)) equals: y ==
// torch.tensor([bin(v).count("1") + 32 - v.bit_length() for v in
// x.tolist()]).int(); b == (x & 255).to(torch.uint8)

__global__ void bits(const int* x, int* y, unsigned char* b) {
  __shared__ unsigned char bytes[32];
  int t = threadIdx.x;
  bytes[t] = x[t] & 0xff;
  __syncthreads();
  y[t] = __popc(x[t]) + __clz(x[t]);
  b[t] = bytes[t];
}
