import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/loopbackOnly.ts'],
    sequence: { shuffle: true },
    // Worlds in sped-up time wait for themselves more than they compute, and slow down on a busy machine.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
