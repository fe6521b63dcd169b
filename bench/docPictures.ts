import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keptFinding } from '../src/alerts/findingJson.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSlackInbox } from '../src/sandbox/inbox/slackInbox.ts'
import { createSilentLog } from '../src/lib/log.ts'
import { Secret } from '../src/lib/secret.ts'
import { createWebApp } from '../src/web/createWebApp.ts'
import { startWebServer } from '../src/web/startWebServer.ts'
import { createWebDeps } from '../src/web/views/createWebDeps.ts'
import { shippedPoll } from '../test/support/incidents.ts'
import { launchBrowser } from '../test/support/launchBrowser.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../test/support/runScenario.ts'
import { toPalette } from './pictures/toPalette.ts'

// Pictures of the pages for README and docs: the whole daemon watches a drill with every fault in a sandbox, in time
// that leaps, always from the same seed and the same moment; then the pages are looked at while time stands still.
//
// --out docs/images   where they go
// --only TEXT         pictures whose name holds it
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(import.meta.dirname, '../docs/images') },
    only: { type: 'string', default: '' },
  },
})

/** Grounds that hardly differ tell parts of a page from each other. */
const ofPage = { most: 200, apart: 40 }
const start = Date.UTC(2026, 2, 10, 9, 40)
const minute = 60_000
const width = 1_280

mkdirSync(values.out, { recursive: true })
const clock = createLeapingClock(start)
const slack = await createSlackInbox()
const run = await runScenario({
  scenario: 'every-transfer-fault',
  clock,
  timeoutMs: 60_000,
  preconfIntervalMs: 5_000,
  links: { tx: { main: 'https://main.example/tx/{hash}', zone: 'https://zone.example/tx/{hash}' } },
  config: {
    poll: shippedPoll,
    channels: [{ name: 'ops', type: 'slack', url: new Secret(slack.url) }],
    routes: [
      {
        match: null,
        channels: ['ops'],
        groupBy: ['case'],
        groupWaitMs: null,
        groupIntervalMs: minute,
        repeatMs: 240 * minute,
        continue: false,
      },
    ],
  },
})

interface Shot {
  readonly name: string
  readonly path: string
  /** What is below it is left out. */
  readonly mostHeight: number
}

const ann = { by: 'ann', from: { via: 'cli', address: null, role: null, session: null } } as const
await run.pass(4 * minute)
await shootAll([{ name: 'status-page', path: '/', mostHeight: 1_150 }])
await run.pass(22 * minute)
const [worst] = run.app.parts.alerts.listLiveCases({ states: ['open'], limit: 1 })
if (worst) run.app.parts.operations.changeCase({ id: `c${worst.id}`, do: 'ack', text: '' }, ann)
const corrected = findCorrected(run)
await shootAll([
  { name: 'transfer-page', path: `/transfers/${corrected}`, mostHeight: 1_150 },
  { name: 'case-page', path: `/cases/c${worst?.id ?? 1}`, mostHeight: 1_000 },
  { name: 'escrow-page', path: '/escrows?period=hour', mostHeight: 1_500 },
])
await run.stop()
clock.stop()
// Channels' connections may linger.
process.exit(0)

/** The transfer that was completed and then failed. */
function findCorrected({ app }: ScenarioRun): string {
  const rows = app.parts.alerts.listAlerts({ limit: 500 })
  const found = rows.find(
    (row) => row.kind === 'transfer.failed' && keptFinding(row).facts['wasCompleted'] === true,
  )
  return found?.transferKey ?? 't1'
}

/** Serves the pages as they are at this moment. */
async function shootAll(shots: readonly Shot[]): Promise<void> {
  // Time stands: what is seen is one moment, and the same whenever it is made.
  clock.stop()
  const wanted = shots.filter(({ name }) => name.includes(values.only))
  const deps = createWebDeps({ clock, log: createSilentLog() }, run.app.parts)
  const app = createWebApp(deps, { listenHost: '127.0.0.1', token: null })
  const server = await startWebServer({ app, clock: createSystemClock(), host: '127.0.0.1', port: 0 })
  const browser = await launchBrowser()
  for (const { name, path, mostHeight } of wanted) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, timezoneId: 'UTC' })
    const page = await context.newPage()
    await page.goto(server.url + path)
    await page.waitForLoadState('load')
    const height = Math.min(Number(await page.evaluate('document.documentElement.scrollHeight')), mostHeight)
    const png = toPalette(
      await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } }),
      ofPage,
    )
    writeFileSync(join(values.out, `${name}.png`), png)
    process.stdout.write(`${name}.png ${path} ${width}×${height}, ${Math.ceil(png.length / 1_000)} kB\n`)
    await context.close()
  }
  await browser.close()
  await server.stop()
  clock.start()
}
