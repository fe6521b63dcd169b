import { kinds } from '../src/checks/index.ts'
import { mkdtempSync, rmSync, writeFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/monitor/createMonitor.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { toObservation } from './support/records.ts'
const batch = Number(process.env['BATCH'] ?? 1), total = Number(process.env['N'] ?? 40000), warm = 10000
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
const path = join(folder, 'spanwatch.yaml')
writeFileSync(path, `explorer: { baseUrl: "http://127.0.0.1:9", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 1000, concurrency: 4 } }
state: ./state
http: null
channels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }
`)
const loaded = loadConfig({ path, env: {} })
const rulesText = `rules:\n${Array.from({ length: 20 }, (_, index) => `  - { name: r${index}, on: transfer.failed, where: 'transfer.amount >= amount("${index}") && transfer.token.type == "ERC20"', severity: warning }`).join('\n')}\n`
const rules = loadRules([{ path: 'rules.yaml', text: rulesText }], kinds)
if (!loaded.ok || !rules.ok) throw new Error('x')
const app = createApp({ clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random }, { config: loaded.config, rules: rules.rules, version: 'bench' })
for (const sql of (process.env['SQL'] ?? '').split(';').filter(Boolean)) app.parts.db.prepare(sql).run()
const now = Date.now() - 3_600_000
const pages: any[] = []
for (let p = 0; p < total / 100; p++) pages.push(Array.from({ length: 100 }, (_, i) => toObservation(p * 100 + i, now - p * 100 - i)))
let begun = process.threadCpuUsage(), wall = 0, wrote = 0, most = 0
const io = () => Number(/write_bytes: (\d+)/.exec((await0()))?.[1])
import { readFileSync } from 'node:fs'
function await0() { return readFileSync('/proc/self/io', 'utf8') }
for (let p = 0; p < pages.length; p += batch) {
  if (p * 100 >= warm && wall === 0) { begun = process.threadCpuUsage(); wall = performance.now(); wrote = io() }
  const t = performance.now()
  app.parts.commit({ answers: pages.slice(p, p + batch), bad: [], ...(process.env["WAIT"] && { mayWait: true }) })
  most = Math.max(most, performance.now() - t)
}
const { user, system } = process.threadCpuUsage(begun)
console.log(`batch ${batch}: ${(((total - warm) * 1e6) / (user + system)).toFixed(0)}/s cpu (user ${(user/1e6).toFixed(1)} sys ${(system/1e6).toFixed(1)}), wall ${((performance.now() - wall)/1000).toFixed(1)} s, wrote ${((io() - wrote) / (total - warm) / 1000).toFixed(1)} kB/rec, longest ${most.toFixed(0)} ms, file ${(statSync(join(folder,'state','ledger.sqlite')).size/total).toFixed(0)} B/rec`)
await app.stop()
rmSync(folder, { recursive: true, force: true })
