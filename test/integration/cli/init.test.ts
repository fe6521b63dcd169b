import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { escapeInvisible } from '../../../src/lib/text.ts'
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/createSandbox.ts'
import { createSlackInbox } from '../../../src/sandbox/inbox/slackInbox.ts'
import { loadScenario, parseScenario } from '../../../src/sandbox/scenario.ts'
import { apiError, envelope, pageB, startApiStub, type StubReply } from '../../support/apiStub.ts'
import { createLeapingClock } from '../../support/leapingClock.ts'
import { hasProgram } from '../../support/hasProgram.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-init-'))
  out = join(folder, 'spanwatch.yaml')
  return () => rmSync(folder, { recursive: true })
})

const credentials = { key: 'key-12345678', secret: 'secret-12345678', passphrase: 'pass-12345678' }
const env = {
  EXPLORER_KEY: credentials.key,
  EXPLORER_SECRET: credentials.secret,
  EXPLORER_PASSPHRASE: credentials.passphrase,
}
const words = (main: string, zone: string) => ({
  path: { main, zone },
  field: { main, zone },
  direction: { main: main.toUpperCase(), zone: zone.toUpperCase() },
})

/** Time that leaps, for both sides: nobody waits for the pace of requests. */
function startClock() {
  const clock = createLeapingClock()
  onTestFinished(() => clock.stop())
  clock.start()
  return clock
}

async function startSandbox(options: Partial<SandboxOptions> & { readonly name?: string } = {}) {
  const { name = 'healthy', ...more } = options
  const clock = startClock()
  const sandbox = createSandbox({ clock: clock.served, scenario: await loadScenario(name), ...more })
  await sandbox.start()
  onTestFinished(() => sandbox.stop())
  const run = (argv: readonly string[], around: Parameters<typeof runCommand>[1] = {}) =>
    runCommand(argv, { clock, ...around })
  const init = (argv: readonly string[], around: Parameters<typeof runCommand>[1] = {}) =>
    run(['init', '--out', out, ...argv], around)
  return { sandbox, run, init, clock }
}

/** Somebody at a terminal who answers by the question. */
function sitThere(answers: readonly (readonly [RegExp, string | null])[]) {
  const asked: string[] = []
  const left = [...answers]
  const ask = async (question: string) => {
    asked.push(question)
    const [form, answer] = left.shift() ?? [/^$/, null]
    expect(question).toMatch(form)
    return answer
  }
  return { ask, asked, left }
}

function readConfig() {
  const loaded = loadConfig({ path: out, env })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const deployments: readonly (readonly [
  string,
  Pick<SandboxOptions, 'dialect' | 'auth'>,
  readonly string[],
  (url: string) => string,
])[] = [
  ['as it is', {}, [], (url) => url],
  ['that asks for credentials', { auth: credentials }, [], (url) => `${url}/`],
  [
    'with other words, told by the address of a request',
    { dialect: { ...words('acme', 'az'), chains: { main: 'ACME', zone: 'AZ_CHAIN' } } },
    [],
    (url) => `${url}/api/v5/acme/az/block/block-list?limit=1`,
  ],
  [
    'with other words, headers and credentials',
    { dialect: { ...words('alpha', 'beta'), headerPrefix: 'ACM' }, auth: credentials },
    ['--dialect', 'alpha,beta', '--auth', 'EXPLORER'],
    (url) => url,
  ],
  [
    'with other words at each place',
    {
      dialect: {
        path: { main: 'acme', zone: 'az' },
        field: { main: 'layer', zone: 'book' },
        direction: { main: 'Acme', zone: 'AZ' },
        chains: { main: 'ACME', zone: 'ACME_AZ' },
      },
    },
    [],
    (url) => `${url}/api/v5/acme/az`,
  ],
  [
    'with other names of chains',
    { dialect: { chains: { main: 'FIRST', zone: 'second-chain' } } },
    ['--main', 'first', '--zone', 'second-chain'],
    (url) => url,
  ],
]

test.each(deployments)(
  'a deployment %s is found whole, and what is written watches it',
  async (_, how, more, toUrl) => {
    const { sandbox, init, run } = await startSandbox(how)
    const sources = ['--preconf', sandbox.rpcUrl, '--canonical', sandbox.canonicalUrl]
    const made = await init(['--explorer', toUrl(sandbox.url), ...sources, ...more], { env })
    expect([made.exitCode, made.err]).toEqual([0, ''])
    expect(made.out).toMatch(/token +0x[0-9a-f]{40} USDC, 6 decimals\n +\d+ transfers of \d+ parties\n/)
    expect(made.out).toContain('The configuration is fine.')
    expect(made.out).toMatch(/\nnext\n {2}spanwatch run -c /)

    const { tokens, contracts } = sandbox.world
    const { bridge, explorer } = readConfig()
    const sorted = (list: readonly { readonly address: string }[]) =>
      list.toSorted((a, b) => (a.address < b.address ? -1 : 1))
    const wanted = tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals }))
    expect(bridge.contracts).toEqual([contracts.bridge])
    expect(new Set(bridge.escrows.map(({ address }) => address))).toEqual(new Set([contracts.escrow]))
    // Rare tokens may not have crossed often enough to be sure of.
    for (const token of bridge.tokens) expect(wanted).toContainEqual(token)
    expect(sorted(bridge.tokens).length).toBeGreaterThanOrEqual(4)
    expect(explorer.dialect).toEqual({
      path: sandbox.dialect.path,
      field: sandbox.dialect.field,
      direction: sandbox.dialect.direction,
      headerPrefix: sandbox.auth === null ? 'SVC' : sandbox.dialect.headerPrefix,
    })
    const online = await run(['check', '--online', '-c', out], { env })
    expect([online.exitCode, online.err]).toEqual([0, ''])
    expect(online.out).not.toMatch(/^ {2}(unsure|failed) /m)
    const written = readFileSync(out, 'utf8')
    expect(written + made.out).not.toContain('12345678')
    expect(statSync(out).mode & 0o077).toBe(0)
  },
)

test('what is written is run, and finds a withdrawal that fails', async () => {
  const { sandbox, init, run } = await startSandbox({ name: 'default' })
  expect((await init(['--explorer', sandbox.url, '--canonical', sandbox.canonicalUrl])).exitCode).toBe(0)
  sandbox.inject({
    at: '5s',
    fault: 'transfer.failed',
    direction: 'ZoneToMain',
    token: 'WETH',
    amount: '7.2504',
  })
  writeFileSync(out, `${readFileSync(out, 'utf8')}http: null\n`)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  let told = ''
  await run(['run', '-c', out, '--log-level', 'error'], {
    stop: stop.signal,
    onOut(text) {
      told += text
      if (/7\.2504 WETH.*failed|failed.*7\.2504 WETH/s.test(told)) stop.abort()
    },
  })
  expect(told).toContain('7.2504 WETH')
}, 60_000)

test('without a terminal and without options: 2, with the names of the options', async () => {
  const { exitCode, out: said, err } = await runCommand(['init', '--out', out])
  expect([exitCode, said]).toEqual([2, ''])
  for (const option of ['--explorer URL', '--main NAME', '--zone NAME', '--slack', '--yes', '--out FILE'])
    expect(err).toContain(option)
  expect(existsSync(out)).toBe(false)
})

test('--yes on a terminal asks nothing', async () => {
  const { ask, asked } = sitThere([])
  const { exitCode, err } = await runCommand(['init', '--yes', '--out', out], { ask })
  expect([exitCode, asked]).toEqual([2, []])
  expect(err).toContain('--explorer URL')
})

test('a file that is there is left alone, before anything is asked; --force replaces it', async () => {
  writeFileSync(out, 'mine: true\n')
  const { ask, asked } = sitThere([])
  const { exitCode, err } = await runCommand(['init', '--out', out], { ask })
  expect([exitCode, asked, err]).toEqual([2, [], expect.stringContaining('--force')])
  expect(readFileSync(out, 'utf8')).toBe('mine: true\n')
  const { sandbox, init } = await startSandbox()
  expect((await init(['--explorer', sandbox.url, '--force'])).exitCode).toBe(0)
  expect(readConfig().explorer.baseUrl).toBe(sandbox.url)
})

test.each([
  ['--slack', 'https://hooks.slack.example/services/T0/B0/aVerySecretWord', 'SLACK_WEBHOOK_URL'],
  ['--preconf', 'https://rpc.example/v1/aVerySecretWordOfAKey', 'PRECONF_URL'],
  ['--canonical', 'https://rpc.example/?key=aVerySecretWord', 'CANONICAL_URL'],
  ['--canonical', 'https://me:aVerySecretWord@rpc.example', 'CANONICAL_URL'],
])('%s with a secret in it is refused, without repeating it: 2', async (option, value, name) => {
  const {
    exitCode,
    err,
    out: said,
  } = await runCommand(['init', '--explorer', 'http://127.0.0.1:1', option, value])
  expect([exitCode, said]).toEqual([2, ''])
  expect(err).toContain(`\${${name}}`)
  expect(err).not.toContain('aVerySecretWord')
})

test.each([
  ['--explorer', 'explorer.example.com', 'expected an http or https address'],
  ['--explorer', 'https://me:secret@explorer.example.com', 'without user name and password'],
  ['--main', 'TWO WORDS', '--main: expected the short name'],
  ['--dialect', 'one', '--dialect: expected the words of both chains'],
  ['--auth', 'NO-NAME', '--auth: expected the beginning of the names'],
  ['--timeout', 'long', '--timeout: expected a duration'],
])('%s %s: 2', async (option, value, says) => {
  const argv = option === '--explorer' ? [] : ['--explorer', 'http://127.0.0.1:1']
  const { exitCode, err } = await runCommand(['init', '--out', out, ...argv, option, value])
  expect([exitCode, err]).toEqual([2, expect.stringContaining(says)])
  expect(existsSync(out)).toBe(false)
})

const html: StubReply = { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }

test.each<readonly [string, () => StubReply, number, readonly RegExp[]]>([
  ['something else', () => html, 3, [/HTML/, /This is not the explorer API: check the address/]],
  ['no such path', () => ({ status: 404, json: {} }), 2, [/no such path/, /--dialect MAIN,ZONE/]],
  ['one that is busy', () => apiError('50011', 429), 3, [/asks to slow down/]],
  [
    'one that asks for credentials',
    () => apiError('50103', 401),
    3,
    [/EXPLORER_KEY, EXPLORER_SECRET/, /--auth PREFIX/],
  ],
  [
    'one that refuses every name',
    () => apiError('50016', 400),
    2,
    [/refuses the chain names/, /--main NAME and --zone NAME/],
  ],
])('%s: clear words, no file', async (_, reply, wanted, says) => {
  const stub = await startApiStub(reply)
  onTestFinished(() => stub.close())
  const clock = startClock()
  const { exitCode, err } = await runCommand(['init', '--out', out, '--explorer', stub.url], { clock })
  expect(exitCode).toBe(wanted)
  for (const form of says) expect(err).toMatch(form)
  expect(err).not.toMatch(/^ +at /m)
  expect(existsSync(out)).toBe(false)
})

test('nobody listens, or somebody who never answers: 3', async () => {
  const clock = startClock()
  const closed = await runCommand(['init', '--out', out, '--explorer', 'http://127.0.0.1:1'], { clock })
  expect([closed.exitCode, closed.err]).toEqual([
    3,
    expect.stringContaining('Check the address (--explorer)'),
  ])
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const argv = ['init', '--out', out, '--explorer', `http://127.0.0.1:${port}`, '--timeout', '150ms']
  const silent = await runCommand(argv, { clock })
  expect([silent.exitCode, silent.err]).toEqual([
    3,
    expect.stringMatching(/no whole answer within 0\.15 s\nCheck the address/),
  ])
  expect(existsSync(out)).toBe(false)
})

test('credentials that are refused, and variables that are not set, are named: 3', async () => {
  const { sandbox, init } = await startSandbox({ auth: credentials })
  const wrong = await init(['--explorer', sandbox.url], {
    env: { ...env, EXPLORER_SECRET: 'wrong-12345678' },
  })
  expect([wrong.exitCode, wrong.err]).toEqual([
    3,
    expect.stringContaining('EXPLORER_SECRET, EXPLORER_PASSPHRASE were refused'),
  ])
  const unset = await init(['--explorer', sandbox.url, '--auth', 'MINE'], { env: { MINE_KEY: 'x-12345678' } })
  expect([unset.exitCode, unset.err]).toEqual([
    3,
    expect.stringContaining('MINE_SECRET, MINE_PASSPHRASE are not set or empty'),
  ])
  expect(wrong.err + unset.err).not.toContain('12345678')
  expect(existsSync(out)).toBe(false)
})

test('names that are swapped: 2 in a pipe, taken the right way round on a terminal', async () => {
  const { sandbox, init } = await startSandbox()
  const argv = ['--explorer', sandbox.url, '--main', 'ZONE_CHAIN', '--zone', 'MAINCHAIN']
  const piped = await init(argv)
  expect([piped.exitCode, piped.err]).toEqual([
    2,
    expect.stringContaining(
      "swapped: MAINCHAIN is the main chain, ZONE_CHAIN the zone chain. Give --main 'MAINCHAIN'",
    ),
  ])
  const { ask } = sitThere([
    [/^Preconfirmation RPC/, ''],
    [/^RPC of the main chain/, ''],
    [/^Channel/, ''],
    [/^Write /, ''],
  ])
  expect((await init(argv, { ask })).exitCode).toBe(0)
  expect(readConfig().explorer.chains).toEqual({ main: 'MAINCHAIN', zone: 'ZONE_CHAIN' })
})

test('a conversation: each answer is tried, a wrong one is explained and asked for again', async () => {
  const { sandbox, init } = await startSandbox({
    auth: credentials,
    dialect: { ...words('acme', 'az'), chains: { main: 'FIRST', zone: 'SECOND' } },
  })
  const slack = await createSlackInbox({})
  onTestFinished(() => slack.close())
  const { ask, left, asked } = sitThere([
    [/^Address of the explorer API: $/, 'explorer.example.com'],
    [/^Address of the explorer API: $/, 'http://127.0.0.1:1'],
    [/^Address of the explorer API \[try/, sandbox.url],
    [/^The two words/, 'acme,az'],
    [/^Beginning of the names/, 'MINE'],
    [/^Short name of the main chain/, 'FIRST'],
    [/^Short name of the zone chain/, 'SECOND'],
    [/^Preconfirmation RPC/, `${sandbox.url}/nothing`],
    [/^Preconfirmation RPC/, sandbox.rpcUrl],
    [/^RPC of the main chain/, 'MAIN_RPC'],
    [/^Channel for alerts/, 'carrier pigeon'],
    [/^Channel for alerts/, 'slack'],
    [/^Name of the environment variable.*\[SLACK_WEBHOOK_URL\]/, slack.url],
    [/^Name of the environment variable/, 'OUR_SLACK'],
    [/^Write .*\[y\]/, 'y'],
  ])
  const mine = {
    MINE_KEY: credentials.key,
    MINE_SECRET: credentials.secret,
    MINE_PASSPHRASE: credentials.passphrase,
    OUR_SLACK: slack.url,
  }
  const { exitCode, err, out: said } = await init([], { ask, env: mine })
  expect([exitCode, err, left]).toEqual([0, '', []])
  expect(said).toContain('canonical: not tried, MAIN_RPC is not set here')
  expect(said).toMatch(/ok +channel ops, .*can be reached/)
  expect(said).toMatch(
    /next\n {2}export MAIN_RPC=…\n {2}spanwatch check --online -c .*\n {2}spanwatch run -c /,
  )
  expect(said + asked.join()).not.toContain(new URL(slack.url).pathname)
  const written = readFileSync(out, 'utf8')
  expect(written).toContain(
    'auth: { key: "${MINE_KEY}", secret: "${MINE_SECRET}", passphrase: "${MINE_PASSPHRASE}" }',
  )
  expect(written).toContain('canonical: { url: "${MAIN_RPC}" }')
  expect(written).toContain('ops: { type: slack, url: "${OUR_SLACK}" }')
  expect(slack.requests).toEqual([])
})

test.each([
  ['the end of what is typed', [[/^Address/, null]]],
  [
    'a no at the end',
    [
      [/^Pre/, ''],
      [/^RPC/, ''],
      [/^Chan/, ''],
      [/^Write/, 'n'],
    ],
  ],
] as const)('%s ends it with nothing written: 2', async (_, answers) => {
  const { sandbox, init } = await startSandbox()
  const { ask } = sitThere(answers)
  const { exitCode, err } = await init(answers.length === 1 ? [] : ['--explorer', sandbox.url], { ask })
  expect([exitCode, err]).toEqual([2, expect.stringContaining('nothing was written')])
  expect(existsSync(out)).toBe(false)
})

test('an RPC or a channel of the options that does not answer: 3, nothing written', async () => {
  const { sandbox, init } = await startSandbox()
  const rpc = await init(['--explorer', sandbox.url, '--canonical', 'http://127.0.0.1:1'])
  expect([rpc.exitCode, rpc.err]).toEqual([3, expect.stringMatching(/^canonical RPC at 127\.0\.0\.1:1: /)])
  const channel = await init(['--explorer', sandbox.url, '--slack', '${HOOK}'], {
    env: { HOOK: 'http://127.0.0.1:1/services/T/B/12345678' },
  })
  expect([channel.exitCode, channel.err]).toEqual([3, expect.stringContaining('no connection')])
  expect(existsSync(out)).toBe(false)
})

/** An explorer of a bridge without traffic. */
async function startQuiet() {
  const block = { height: '5', hash: '', miner: '', blockTime: '1700000000000', transactionCount: '1' }
  const stub = await startApiStub(({ path }) => {
    if (path.endsWith('/block/block-list')) return pageB([block])
    if (path.endsWith('/cross/transaction-list')) return pageB([])
    return envelope([{ chainShortName: 'ALPHA', page: '1', limit: '1', totalPage: '0', transactionList: [] }])
  })
  onTestFinished(() => stub.close())
  return stub
}

test('no transfers: said so, and what is written still works', async () => {
  const stub = await startQuiet()
  const clock = startClock()
  const { exitCode, out: said } = await runCommand(['init', '--out', out, '--explorer', stub.url], { clock })
  expect(said).toContain('0 of the 0 newest transfers')
  expect(said).toContain('The list of transfers is empty: right for a bridge without traffic')
  expect(exitCode).toBe(0)
  const { bridge, explorer } = readConfig()
  expect([bridge.tokens, bridge.escrows, bridge.contracts, explorer.chains.main]).toEqual([
    [],
    [],
    [],
    'ALPHA',
  ])
})

test('the native currency, fees and transfers that are hidden while in flight', async () => {
  const { sandbox, init } = await startSandbox({
    scenario: parseScenario(
      `name: native
seed: 5
traffic: { native: 0.4, fee: 0.001, inFlight: hidden }
history: { for: 2h, transfers: 400 }
`,
      'native.yaml',
    ),
  })
  expect((await init(['--explorer', sandbox.url])).exitCode).toBe(0)
  const { escrows, tokens } = readConfig().bridge
  const { escrow } = sandbox.world.contracts
  expect(escrows).toContainEqual({ address: escrow, token: `0x${'0'.repeat(40)}`, baseline: null })
  expect(new Set(escrows.map(({ address }) => address))).toEqual(new Set([escrow]))
  expect(tokens.every(({ address }) => address !== `0x${'0'.repeat(40)}`)).toBe(true)
})

test.each([
  ['api.error', ['E13', 'E15'], /unsure +E13 at .*: /, 'escrows'],
  ['api.disguised', ['E13', 'E15'], /unsure +E13 at .*: empty answers/, 'escrows'],
  ['api.error', ['E21'], /unsure +E21 at /, 'contracts'],
  ['api.disguised', ['E21'], /unsure +E21 at .*: empty answers/, 'contracts'],
] as const)('%s of %j: said, and what rests on it is no setting', async (fault, endpoints, says, without) => {
  const { sandbox, init } = await startSandbox()
  sandbox.inject({ fault, endpoints: [...endpoints], for: '1h' })
  const { exitCode, out: said } = await init(['--explorer', sandbox.url])
  expect([exitCode, said]).toEqual([0, expect.stringMatching(says)])
  const { bridge } = readConfig()
  expect(bridge[without]).toEqual([])
})

test('throttling in disguise of the list itself: no guess is taken for a name, and nothing is written', async () => {
  const { sandbox, init } = await startSandbox()
  sandbox.inject({ fault: 'api.disguised', for: '1h' })
  const { exitCode, err } = await init(['--explorer', sandbox.url])
  expect([exitCode, err]).toEqual([2, expect.stringContaining('give --main NAME and --zone NAME')])
  expect(existsSync(out)).toBe(false)
})

test('a stop in the midst of it is no failure of the program: nothing is written', async () => {
  const { sandbox, init } = await startSandbox()
  for (const word of ['the explorer', 'recent transfers']) {
    const stop = new AbortController()
    const onOut = (text: string) => {
      if (text.includes(word)) stop.abort()
    }
    const { exitCode, err } = await init(['--explorer', sandbox.url], { stop: stop.signal, onOut })
    expect([exitCode, err]).toEqual([2, 'init: ended; nothing was written\n'])
    expect(existsSync(out)).toBe(false)
  }
})

test.each([
  ['a folder that is not there', () => join(folder, 'nowhere/spanwatch.yaml'), 'there is no folder'],
  ['a folder', () => folder, 'is there already'],
])('%s in the place of the file is told before anything is asked: 2', async (_, toPath, says) => {
  const { ask, asked } = sitThere([])
  const { exitCode, err } = await runCommand(['init', '--out', toPath()], { ask })
  expect([exitCode, asked, err]).toEqual([2, [], expect.stringContaining(says)])
})

test('names from the chain that try to be more become no setting', async () => {
  const { sandbox, init, clock } = await startSandbox({ name: 'hostile-names' })
  await clock.sleep(60_000)
  const { exitCode, out: said } = await init(['--explorer', sandbox.url], { env: {} })
  expect(exitCode).toBe(0)
  for (const { symbol } of readConfig().bridge.tokens) expect(symbol).toMatch(/^[A-Z]{4,6}$/)
  const all = said + readFileSync(out, 'utf8')
  expect(escapeInvisible(all)).toBe(all)
})

describe.skipIf(!hasProgram('script'))('on a real terminal', () => {
  const bin = join(import.meta.dirname, '../../../bin/spanwatch.js')

  /** Types into `spanwatch init` what it asks for, one answer a question. */
  async function type(
    answers: readonly string[],
  ): Promise<{ readonly seen: string; readonly code: unknown }> {
    const command = `"${process.execPath}" "${bin}" init --out "${out}"`
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, TERM: 'xterm' } })
    const left = [...answers]
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      // A question ends with a colon, and the place where the answer begins.
      if (stripVTControlCharacters(seen).endsWith(': ') && !seen.endsWith(' '))
        child.stdin.write(left.shift() ?? '')
    })
    const [code] = await once(child, 'exit')
    return { seen, code }
  }

  test('it asks, and writes what it was told', async () => {
    const { url } = await startQuiet()
    const { seen, code } = await type([`${url}\r`, '\r', '\r', '\r', '\r'])
    expect(seen).toContain('Address of the explorer API:')
    expect([code, readConfig().explorer.baseUrl]).toEqual([0, url])
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s ends it, with nothing written', async (_, key) => {
    const { seen, code } = await type([key])
    expect([code, seen]).toEqual([2, expect.stringContaining('nothing was written')])
    expect(existsSync(out)).toBe(false)
  })
})
