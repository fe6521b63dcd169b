import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { kinds } from '../../src/checks/index.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { createSystemClock } from '../../src/lib/clock.ts'
import { home } from '../../src/lib/home.ts'
import { createLog } from '../../src/lib/log.ts'
import { type App, createApp } from '../../src/monitor/createMonitor.ts'
import { loadRules } from '../../src/rules/loadRules.ts'
import type { YamlInput } from '../../src/lib/parseYamlDocument.ts'
import { createRecord, toPage } from './records.ts'

/** An explorer of a bridge on which nothing happens: a list of one page; of everything else there is nothing. */
export async function serveQuiet(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(answer(request.url ?? '/'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(url: string): string {
  const { pathname } = new URL(url, 'http://x')
  const now = Date.now()
  if (pathname.endsWith('/cross/transaction-list')) {
    const data = Array.from({ length: 20 }, (_, index) => createRecord(index, now - 60_000 - index))
    return toPage(data, { page: 1, total: 20 })
  }
  return JSON.stringify({ code: '0', msg: '', data: [] })
}

/** The configuration of a daemon that watches it from `folder`, and sends to nobody who answers. */
export function writeQuietConfig(folder: string, url: string): void {
  writeFileSync(
    join(folder, 'spanwatch.yaml'),
    `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 50, concurrency: 4 } }
state: ./state
http: null
channels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }
`,
  )
}

/** The rules as they are shipped. */
export function readShippedRules(): YamlInput[] {
  const folder = join(home, 'rules')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
    .map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }))
}

/** That daemon, not started. */
export function openDaemon(folder: string, sources: readonly YamlInput[]): App {
  const loaded = loadConfig({ path: join(folder, 'spanwatch.yaml'), env: {} })
  const rules = loadRules(sources, kinds)
  if (!loaded.ok || !rules.ok) throw new Error(JSON.stringify([loaded, rules]))
  return createApp(
    { clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
    { config: loaded.config, rules: rules.rules, version: 'bench' },
  )
}
