import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clock, createScaledClock, createSystemClock } from '../../src/lib/clock.ts'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { toWatchYaml } from '../../src/sandbox/toWatchYaml.ts'
import { shippedPoll } from '../support/incidents.ts'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../support/runScenario.ts'
import { type CommandResult, runCommand } from '../unit/cli/testIo.ts'
import { listBlocks, listCommandLines, listDocuments, readDoc, root } from '../unit/docs/markdown.ts'

/** Three that do not reconcile, two of which belong together, among a few that do. */
const scenario = `name: drill
seed: 9
traffic: { transfersPerMinute: 10 }
history: { for: 1h, transfers: 100 }
timeline:
  - { at: 5s, fault: transfer.failed, token: USDC, amount: "18250.75", legs: both }
  - { at: 10s, fault: transfer.unbacked, token: USDC, amount: "18250.75" }
  - { at: 15s, fault: transfer.failed, token: WETH, amount: "3", legs: both }
`
const drillMs = 4 * 60_000

let drill: ScenarioRun
let inbox: Awaited<ReturnType<typeof createSlackInbox>>
let kept: string
/** Stands where the drill ended: what is printed speaks of "the past 24 hours". */
let clock: Clock

/** What is printed asks a ledger in which something happened, beside sources that still answer. */
beforeAll(async () => {
  kept = mkdtempSync(join(tmpdir(), 'spanwatch-printed-'))
  inbox = await createSlackInbox({})
  const leaping = createLeapingClock()
  drill = await runScenario({
    scenario,
    clock: leaping,
    timeoutMs: 60_000,
    preconfIntervalMs: 30_000,
    config: { poll: shippedPoll, stateDir: join(kept, 'state') },
  })
  await drill.pass(drillMs)
  await drill.app.stop()
  leaping.stop()
  clock = { ...createSystemClock(), now: () => leaping.now() }
}, 240_000)

afterAll(async () => {
  await drill.stop()
  await inbox.close()
  rmSync(kept, { recursive: true })
})

const env = { USER: 'ana' }

/** A project as the documents have it: a configuration, the drill's ledger, rules of one's own. */
function createProject() {
  const folder = mkdtempSync(join(kept, 'project-'))
  const config = join(folder, 'spanwatch.yaml')
  const watched = toWatchYaml(drill.sandbox, { pace: '{ maxRequestsPerSecond: 1000, concurrency: 4 }' })
  writeFileSync(
    config,
    [
      watched,
      `rules: ./my-rules`,
      `http: { listen: "127.0.0.1:0" }`,
      `channels: { ops-slack: { type: slack, url: "${inbox.url}" } }`,
      `reports: { daily: { cron: "0 8 * * *", timezone: UTC, channel: ops-slack } }`,
      '',
    ].join('\n'),
  )
  cpSync(join(kept, 'state'), join(folder, 'state'), { recursive: true })
  for (const name of ['my-rules', 'changed-rules'])
    cpSync(join(root, 'rules'), join(folder, name), { recursive: true })
  const [rule = '', test = ''] = listBlocks(readDoc('docs/first-rule.md'))
    .filter(
      ({ language, text }) =>
        language === 'yaml' && /^(rules|tests):/m.test(text) && !text.startsWith('explorer'),
    )
    .map(({ text }) => text)
  writeFileSync(join(folder, 'my-rules/treasury.yaml'), rule)
  writeFileSync(join(folder, 'my-rules/treasury.test.yaml'), test)
  const shown = listBlocks(readDoc('docs/rules.md')).find(({ text }) => /^tests:/m.test(text))
  writeFileSync(join(folder, 'my-rules/stalled.test.yaml'), shown?.text ?? '')
  return { folder, config }
}

type Project = ReturnType<typeof createProject>

/** Names that stand alone for a command, where the text speaks of it. */
const mentions = ['transfers', 'query', 'rpc', 'alerts show', 'outbox drop ID']

/** What runs until it is stopped. */
const lasting = ['run', 'demo', 'sandbox']

/** `rules test` alone tries the shipped rules. */
const withoutConfig = ['init', 'demo', 'sandbox', 'schema', 'completion', 'man', 'rules', '--help']

/**
 * What asks a PostgreSQL with nodes in it: here whether there is such a command, what it does in
 * test/integration/replicas/operating.test.ts and test/e2e/fleetCommand.test.ts.
 */
const ofReplicas = ['replicas', 'fleet']
const toAsked = (line: readonly string[]) =>
  ofReplicas.includes(line[0] ?? '')
    ? [...line.slice(0, 2).filter((word) => !word.startsWith('-')), '--help']
    : line

async function ask(project: Project, ...words: string[]): Promise<CommandResult> {
  const stop = new AbortController()
  const isLasting = lasting.includes(words[0] ?? '')
  const end = (text: string) => {
    if (isLasting && /watching|status page/.test(text)) stop.abort()
  }
  const isInit = words[0] === 'init'
  const isHelp = words.includes('--help')
  const needsConfig = !isHelp && !words.includes('-c') && !withoutConfig.includes(words[0] ?? '')
  const place = isInit ? ['--out', join(project.folder, 'first.yaml')] : []
  return await runCommand([...words, ...(needsConfig ? ['-c', project.config] : place)], {
    env,
    // Whoever is asked types the address, and takes the rest as it is. The pace of requests is nobody's to wait for.
    ...(isInit && { ask: async (question) => (question.startsWith('Address') ? drill.sandbox.url : '') }),
    clock: isInit ? { ...createScaledClock(50), now: () => clock.now() } : clock,
    stop: stop.signal,
    onOut: end,
    onErr: end,
  })
}

async function read(project: Project, ...words: string[]) {
  const { out, err } = await ask(project, ...words, '--json')
  try {
    return JSON.parse(out)
  } catch {
    throw new Error(`${words.join(' ')}: ${out}${err}`)
  }
}

interface ListedBreak {
  readonly name: string
  readonly kind: string
  readonly token: { readonly symbol: string | null }
}

/** The names that are the reader's own, by what stands for them. */
async function nameOwn(project: Project): Promise<Readonly<Record<string, string>>> {
  const { breaks } = (await read(project, 'breaks', 'list')) as { readonly breaks: readonly ListedBreak[] }
  const find = (kind: string) =>
    breaks.find((one) => one.kind === kind && one.token.symbol === 'USDC')?.name ?? `no ${kind}`
  const origin = find('failed')
  const [transfer] = await read(project, 'transfers', 'list', '--state', 'failed')
  return {
    'spanwatch.yaml': project.config,
    FILE: project.config,
    NAME: 'ops-slack',
    DAY: new Date(clock.now()).toISOString().slice(0, 10),
    HASH: transfer.zone.hash,
    ADDRESS: transfer.sourceAddress,
    c42: (await read(project, 'cases', 'list', '--state', 'all'))[0].id,
    '612cb0aa': (await read(project, 'alerts', 'list'))[0].id,
    t42: origin,
    t57: find('unbacked'),
    t58: breaks.find((one) => one.kind === 'failed' && one.name !== origin)?.name ?? 'no other',
    './report': join(project.folder, 'report'),
    './changed-rules': join(project.folder, 'changed-rules'),
    'my-rules/treasury.test.yaml': join(project.folder, 'my-rules/treasury.test.yaml'),
    'my-rules/stalled.test.yaml': join(project.folder, 'my-rules/stalled.test.yaml'),
    'ledger-backup.sqlite': join(project.folder, 'ledger-backup.sqlite'),
    // The first entry and the second silence of a new ledger.
    e3: 'e1',
    '3': '2',
  }
}

const documents = listDocuments()
  .map(({ path, text }) => ({
    path,
    lines: [...new Set(listCommandLines(text).map((words) => words.join('\0')))],
  }))
  .map(({ path, lines }) => ({
    path,
    lines: lines.filter((line) => !mentions.includes(line.replaceAll('\0', ' '))),
  }))
  .filter(({ lines }) => lines.length > 0)

test.each(documents)('what $path prints works, from above to below', async ({ lines }) => {
  const project = createProject()
  const own = await nameOwn(project)
  const failed: string[] = []
  for (const printed of lines) {
    const words = printed.split('\0')
    const line = toAsked(words.map((word) => own[word] ?? word))
    // What sets the ledger aside does so with one of its own.
    const isLast = words.includes('--reset-state')
    const { exitCode, out, err } = await ask(isLast ? createProject() : project, ...line)
    // Help is given of the command above one that there is not.
    const isOther =
      line.at(-1) === '--help' && !out.includes(`spanwatch ${line.slice(0, -1).join(' ')}`.trim())
    if (exitCode !== 0 || isOther) failed.push(`${line.join(' ')}: ${exitCode}\n${err || out}`)
  }
  expect(failed).toEqual([])
})
