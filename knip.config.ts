import type { KnipConfig } from 'knip'
import bundled from './build/bundled/package.json' with { type: 'json' }

export default {
  workspaces: {
    '.': {
      entry: ['src/main.ts', 'src/store/ledgerWorker.ts', 'test/**/*.test.ts', 'bench/*.ts'],
      project: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'build/**/*.ts'],
    },
  },
  ignoreWorkspaces: ['build/bundled', 'build/node'],
  // Named in a workspace, used here. That each of them is in use is held by test/integration/package.test.ts.
  ignoreDependencies: Object.keys(bundled.dependencies),
} satisfies KnipConfig
