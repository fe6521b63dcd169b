import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { shared } from './vitest.config.ts'

const hasProperty = (file: string) => readFileSync(file, 'utf8').includes('support/fastCheck.ts')

export default defineConfig({
  test: {
    ...shared,
    // Two at a time: each is a whole sandbox and a whole daemon, and what is measured is time,
    // the world's own: a loaded machine makes it slow, and changes nothing in it.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'worlds', testTimeout: 900_000, include: ['test/worlds/**/*.test.ts'] },
      },
      {
        extends: true,
        // The gate runs them with seeds that do not change.
        test: {
          name: 'properties',
          env: { PROPERTY_SEEDS: 'fresh' },
          include: globSync('test/**/*.test.ts').filter(hasProperty),
        },
      },
    ],
  },
})
