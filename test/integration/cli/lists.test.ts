import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { createCaseWorld, failed, failure, theft, unbacked, usdc } from '../../support/caseWorld.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

const weth = '0x00000000000000000000000000000000000000ee'
const other = '0x00000000000000000000000000000000000000dd'
const hour = 3_600_000

const tokens = [
  { address: usdc, symbol: 'USDC', decimals: 6 },
  { address: weth, symbol: 'WETH', decimals: 18 },
]

function createFolder(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `spanwatch-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  const listed = tokens.map(
    (token) => `{ address: "${token.address}", symbol: ${token.symbol}, decimals: ${token.decimals} }`,
  )
  writeFileSync(
    config,
    `${createLoopbackConfig('http://127.0.0.1:9')}bridge: { tokens: [${listed.join(', ')}] }\n`,
  )
  mkdirSync(join(folder, 'state'))
  return { config, database: openDatabase(ledgerPath(join(folder, 'state'))) }
}

/** Ten withdrawals, one an hour: t1 at hour 1 of 1 USDC, t2 at hour 2 of 2 WETH, and so on; t10 is of a token that nobody listed. */
function createTransfers() {
  const { config, database } = createFolder('transfers')
  const ledger = createLedger(database, { tokens, openIntervalMs: 10_000 })
  for (let index = 1; index <= 10; index += 1) {
    const [token, decimals] = index === 10 ? [other, 0] : index % 2 === 0 ? [weth, 18] : [usdc, 6]
    const record = toRecord({
      zoneHash: hash(`z${index}`),
      mainHash: hash(`m${index}`),
      zoneTime: index * hour,
      mainTime: index * hour + 1_000,
      requestedAt: index * hour + 2_000,
      token,
      value: token === other ? null : String(index),
      amountRaw: BigInt(index) * 10n ** BigInt(decimals),
    })
    database.transaction(() => ledger.recordAnswer([record], 11 * hour))
  }
  database.close()
  const clock = createSteppedClock({ start: 11 * hour })
  return async (...words: string[]) => {
    const format = words.includes('--csv') || words.includes('--json') ? [] : ['--json']
    const argv = ['transfers', 'list', ...words, ...format, '-c', config]
    const { out, err, exitCode } = await runCommand(argv, { clock })
    if (words.includes('--csv')) {
      const [, ...rows] = out.trim().split('\r\n')
      return { keys: rows.map((row) => row.split(',')[0]).join(' '), err, exitCode }
    }
    const keys = exitCode === 0 ? (JSON.parse(out) as { key: string }[]).map(({ key }) => key).join(' ') : ''
    return { keys, err, exitCode }
  }
}

describe('transfers list', () => {
  test.each([
    ['since a time', ['--since', '1970-01-01T08:00:00Z'], 't10 t9 t8'],
    ['since a while', ['--since', '3h'], 't10 t9 t8'],
    ['until a time, that one included', ['--until', '1970-01-01T02:00:00Z'], 't2 t1'],
    ['between both', ['--since', '5h', '--until', '4h'], 't7 t6'],
    ['by symbol, whatever its case', ['--token', 'weth'], 't8 t6 t4 t2'],
    ['by address', ['--token', weth.toUpperCase().replace('0X', '0x'), '--limit', '4'], 't8 t6 t4 t2'],
    ['by address of a token that is not listed', ['--token', other], 't10'],
    ['of at least so much; what nobody knows may be as much', ['--min-amount', '7.5'], 't10 t9 t8'],
    ['the limit itself counts', ['--min-amount', '8', '--token', 'WETH'], 't8'],
    [
      'a smallest part less than the limit does not',
      ['--min-amount', '8.000000000000000001', '--token', 'WETH'],
      '',
    ],
    ['all at once', ['--min-amount', '3', '--token', 'USDC', '--since', '9h', '--until', '3h'], 't7 t5 t3'],
    ['older than, and until: both hold', ['--older-than', '2h', '--until', '9h', '--limit', '2'], 't2 t1'],
  ])('%s', async (_, words, keys) => {
    expect(await createTransfers()(...words)).toEqual({ keys, err: '', exitCode: 0 })
  })

  test.each([['--csv'], ['--json']])(
    'a file of some of them does not pass for all of them: %s',
    async (as) => {
      const list = createTransfers()
      expect(await list(as, '--limit', '9')).toEqual({
        keys: 't10 t9 t8 t7 t6 t5 t4 t3 t2',
        err: 'More than 9 match: --limit shows more.\n',
        exitCode: 0,
      })
      expect(await list(as, '--limit', '10')).toMatchObject({ err: '' })
    },
  )

  test.each([
    [
      'a time that is none',
      ['--since', 'yesterday'],
      '--since: expected a duration such as 2h, or a time such as',
    ],
    [
      'an amount that is none',
      ['--min-amount', '1,000'],
      '--min-amount: expected an amount in token units, such as 1000.5, got "1,000"',
    ],
    ['an amount below nothing', ['--min-amount', '-1'], '--min-amount: expected an amount'],
    [
      'a beginning after the end',
      ['--since', '1h', '--until', '2h'],
      '--since: expected a time before that of --until',
    ],
    [
      'a beginning in the future',
      ['--since', '1970-02-01T00:00:00Z'],
      '--since: expected a time that has been',
    ],
    [
      'a symbol that is not listed',
      ['--token', 'WETHH'],
      '--token: bridge.tokens lists no token `WETHH`, did you mean `WETH`?',
    ],
    [
      'a symbol that is like none',
      ['--token', 'SOMETHING'],
      'lists no token `SOMETHING`: expected one of USDC, WETH, native, or the address of a token',
    ],
    [
      'an address that is too short',
      ['--token', '0xdd'],
      '--token: expected an address of 40 hex digits after 0x, got "0xdd"',
    ],
    ['a limit that is none', ['--limit', 'x'], '--limit: expected a whole number from 1, got "x"'],
    ['two formats', ['--json', '--csv'], '--json and --csv exclude each other'],
  ])('%s is refused', async (_, words, problem) => {
    const { err, exitCode } = await createTransfers()(...words)
    expect([exitCode, err]).toEqual([2, expect.stringContaining(problem)])
  })
})

/** A theft told at the beginning, failures an hour later. */
async function createToldFolder() {
  const { config, database } = createFolder('alerts')
  const world = createCaseWorld({ database })
  const begin = world.clock.now()
  world.tell(unbacked, theft(1, '9750000.5'))
  await world.clock.advance(hour)
  world.tell({ ...failed, severity: 'warning' }, failure(11, '1'), failure(12, '2'))
  database.close()
  return { config, clock: createSteppedClock({ start: begin + hour + 60_000 }) }
}

async function createAlerts() {
  const { config, clock } = await createToldFolder()
  return async (...words: string[]) => {
    const { out, err, exitCode } = await runCommand(['alerts', 'list', ...words, '--json', '-c', config], {
      clock,
    })
    const rules =
      exitCode === 0 ? (JSON.parse(out) as { rule: string }[]).map(({ rule }) => rule).join(' ') : ''
    return { rules, err, exitCode }
  }
}

describe('alerts list', () => {
  test.each([
    ['by severity', ['--severity', 'critical'], 'unbacked'],
    ['by several severities', ['--severity', 'critical,warning'], 'failed failed unbacked'],
    ['by rule', ['--rule', 'unbacked'], 'unbacked'],
    ['since a while', ['--since', '30m'], 'failed failed'],
    [
      'all at once',
      ['--severity', 'warning', '--rule', 'failed', '--since', '30m', '--limit', '2'],
      'failed failed',
    ],
    ['nothing fits both', ['--severity', 'critical', '--since', '30m'], ''],
  ])('%s', async (_, words, rules) => {
    expect(await (await createAlerts())(...words)).toEqual({ rules, err: '', exitCode: 0 })
  })

  test('names each channel once, whatever number of messages it got', async () => {
    const { config, database } = createFolder('alerts')
    const world = createCaseWorld({ database })
    world.tell(unbacked, theft(1, '9750000.5'))
    const told = async () =>
      /told: (.*);/.exec(
        (await runCommand(['alerts', 'list', '-c', config], { clock: world.clock })).out,
      )?.[1]
    expect(await told()).toBe('ops (queued)')
    const sending = world.startSending()
    await world.clock.advance(60_000)
    const [item] = world.store.listOutbox({ state: 'sent', limit: 1 })
    if (!item) throw new Error('nothing was sent')
    world.store.queueItem({ ...item, what: 'case' })
    expect(await told()).toBe('ops (more is queued)')
    sending.wake()
    await world.clock.advance(60_000)
    expect(await told()).toBe('ops')
    await sending.stop()
    database.close()
  })

  test('some of them do not pass for all of them', async () => {
    const err = 'More than 2 match: --limit shows more.\n'
    expect(await (await createAlerts())('--limit', '2')).toEqual({ rules: 'failed failed', err, exitCode: 0 })
  })

  test.each([
    [
      'a severity that is none',
      ['--severity', 'high'],
      '--severity: expected one of critical, warning, info, or several with commas between, got "high"',
    ],
    [
      'a rule that is none',
      ['--rule', 'transfer-unbackd'],
      '--rule: no rule and no alert is named `transfer-unbackd`, did you mean `transfer-unbacked`?',
    ],
    ['a time that is none', ['--since', 'x'], '--since: expected a duration'],
    ['a limit that is none', ['--limit', '0'], '--limit: expected a whole number from 1, got "0"'],
  ])('%s is refused', async (_, words, problem) => {
    const { err, exitCode } = await (await createAlerts())(...words)
    expect([exitCode, err]).toEqual([2, expect.stringContaining(problem)])
  })
})

test.each([
  ['cases', ['--state', 'all']],
  ['outbox', ['--state', 'queued']],
  ['audit', []],
])('%s list says where it is cut off', async (name, words) => {
  const { config, clock } = await createToldFolder()
  for (const by of ['ana', 'ben'])
    await runCommand(
      ['silences', 'add', 'severity=info', '--for', '1h', '--by', by, '--comment', 'x', '-c', config],
      { clock },
    )
  const list = (limit: string) =>
    runCommand([name, 'list', ...words, '--limit', limit, '--json', '-c', config], { clock })
  expect(JSON.parse((await list('1')).out)).toHaveLength(1)
  expect((await list('1')).err).toBe('More than 1 match: --limit shows more.\n')
  expect((await list('500')).err).toBe('')
})
