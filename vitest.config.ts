import { join } from 'node:path'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'

export const shared = {
  setupFiles: ['test/support/loopbackOnly.ts'],
  sequence: { shuffle: true },
  // Worlds in sped-up time wait for themselves more than they compute, and slow down on a busy machine.
  maxWorkers: 4,
  testTimeout: 120_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Programs that tests start from their sources are compiled once.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/tests') },
} satisfies ViteUserConfig['test']

// What takes long stands apart: `npm run test:worlds`.
export default defineConfig({
  test: {
    ...shared,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          // No test replaces a module or leaves anything behind, and loading all anew for each file takes as long as the
          // tests.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/worlds/**', 'test/e2e/**'],
        },
      },
      {
        extends: true,
        // Real processes in real time: a machine that stands still for seconds fails what is right. The report names
        // each test that was tried again.
        test: {
          name: 'daemon',
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          retry: 1,
          // A hook is not tried again. Each wait within one has a limit of its own, and says what it waited for.
          hookTimeout: 240_000,
          maxConcurrency: 3,
        },
      },
    ],
  },
})
