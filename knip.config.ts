import type { KnipConfig } from 'knip'
import bundled from './build/bundled/package.json' with { type: 'json' }

export default {
  workspaces: {
    '.': {
      entry: [
        'src/main.ts',
        'src/store/ledgerWorker.ts',
        'src/lib/chartWorker.ts',
        'test/**/*.test.ts',
        'bench/*.ts',
        'bench/support/bareLoop.ts',
      ],
      project: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'build/**/*.ts'],
    },
  },
  ignoreWorkspaces: ['build/bundled', 'build/node'],
  // Named in a workspace, used here (that each of them is in use is held by test/integration/package.test.ts); and what
  // tests install by themselves, where it can be.
  ignoreDependencies: [...Object.keys(bundled.dependencies), '@foundry-rs/anvil-linux-amd64'],
} satisfies KnipConfig
