import { defineConfig } from 'vitest/config'
import { shared } from './vitest.config.ts'

export default defineConfig({
  // Two at a time: each is a whole sandbox and a whole daemon, and what is measured is time,
  // the world's own: a loaded machine makes it slow, and changes nothing in it.
  test: { ...shared, maxWorkers: 2, testTimeout: 900_000, include: ['test/worlds/**/*.test.ts'] },
})
