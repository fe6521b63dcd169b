/**
 * The table of performance, one bench after the other, each in a process of its own: `npm run bench`. Shortened where the
 * whole takes long; each bench has a script of its own that measures more.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const benches: readonly (readonly [title: string, file: string, ...options: string[]])[] = [
  ['ingest with 20 rules', 'ingest.ts'],
  ['a large ledger against a small one', 'ledgerSize.ts', '200000'],
  ['the gate', 'gate.ts', '200000'],
  ['alerts to a webhook', 'alerts.ts', '20000'],
  ['requests for evidence', 'requests.ts'],
  ['preconfirmations', 'preconf.ts'],
  ['flow', 'flow.ts', '20000'],
  ['backtest', 'backtest.ts', '200000'],
  ['kill -9', 'kills.ts', '50'],
]

for (const [title, file, ...options] of benches) {
  console.log(`\n# ${title}`)
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { status } = spawnSync(process.execPath, [path, ...options], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
