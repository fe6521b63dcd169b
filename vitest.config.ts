import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'

export const shared = {
  setupFiles: ['test/support/loopbackOnly.ts'],
  sequence: { shuffle: true },
  // Worlds in sped-up time wait for themselves more than they compute, and slow down on a busy machine.
  maxWorkers: 4,
  testTimeout: 120_000,
  hookTimeout: 60_000,
  pool: 'forks',
} satisfies ViteUserConfig['test']

// What takes long stands apart: `npm run test:worlds`.
export default defineConfig({
  test: {
    ...shared,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/worlds/**'],
  },
})
