// What the machine can do at most: multiply-adds in registers, and arrays through memory. Called from one Python thread
// for each core.
typedef float vec __attribute__((vector_size(VECTOR), aligned(4)));

// 12 chains of fused multiply-adds, enough to fill the pipelines; gives the number of floating-point operations
double multiply_adds(long rounds, float seed) {
    enum { CHAINS = 12 };
    vec sum[CHAINS], factor, term;
    for (int i = 0; i < (int)(sizeof(vec) / 4); i++) { factor[i] = 0.999f; term[i] = seed; }
    for (int c = 0; c < CHAINS; c++) sum[c] = term * (float)c;
    for (long r = 0; r < rounds; r++)
        for (int c = 0; c < CHAINS; c++) sum[c] = sum[c] * factor + term;
    volatile float keep = 0;
    for (int c = 0; c < CHAINS; c++) keep += sum[c][0];
    return 2.0 * CHAINS * (sizeof(vec) / 4) * rounds;
}

// a = b + s * c
void triad(float* a, const float* b, const float* c, float s, long n) {
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
