import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/loopbackOnly.ts'],
    sequence: { shuffle: true },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
  },
})
