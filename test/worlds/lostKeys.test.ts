import { findingText } from '../support/readFinding.ts'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/bridge/finding.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { send, type WireRecord } from '../support/fakeExplorer.ts'

// semantics.md 38: one key of one endpoint is gone at a time, while transfers of every kind are made: it is told as
// drift of that endpoint with what the rows have instead, accuses nobody, and hides no withdrawal that failed.

const second = 1_000
const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical }
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: rewritten, on: transfer.rewritten, severity: critical }
  - { name: vanished, on: transfer.vanished, severity: critical }
  - { name: disorder, on: transfer.out_of_order, severity: critical }
  - { name: stalled, on: transfer.stalled, with: { after: 20m }, severity: critical }
  - { name: missed, on: ledger.incomplete, severity: critical }
  - { name: drift, on: escrow.drift, severity: critical }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
  - { name: contract, on: contract.changed, severity: critical }
  - { name: chain, on: chain.stalled, severity: critical }
  - { name: keys, on: source.drift, severity: warning }
`

const paths: Readonly<Record<string, string>> = {
  E3: '/zone/cross/transaction-list',
  E12: '/zone/cross/transaction-multi',
  E5: '/zone/block/block-list',
  E6: '/address/transaction-list',
  E7: '/block/transaction-list-multi',
  E8: '/address/internal-transaction-list',
  E9: '/zone/transaction/transaction-multi',
  E11: '/block/block-fills',
  E13: '/transaction/token-transfer-multi',
  E15: '/transaction/internal-transaction-multi',
  E19: '/log/by-block-and-address',
  E21: '/log/by-transaction',
}

interface Loss {
  readonly endpoint: string
  readonly key: string
  /** Of every second row alone. */
  readonly isHalf: boolean
}

type Row = Readonly<Record<string, unknown>>

function lose(row: Row, key: string): Row {
  const { [key]: value, ...rest } = row
  return value === undefined ? row : { ...rest, [`${key}s`]: value }
}

/** Rows stand in `data`, or in the one array of the page that it holds. */
function loseInAnswer(body: { readonly data?: readonly Row[] }, { key, isHalf }: Loss) {
  const change = (row: Row, index: number) => (isHalf && index % 2 === 1 ? row : lose(row, key))
  const spoil = (rows: readonly Row[]) => rows.map(change)
  const [first] = body.data ?? []
  const place = Object.keys(first ?? {}).find((name) => name !== 'topics' && Array.isArray(first?.[name]))
  if (first === undefined || place === undefined) return { ...body, data: spoil(body.data ?? []) }
  return { ...body, data: [{ ...first, [place]: spoil(first[place] as Row[]) }] }
}

function loseOnTheWay(response: ServerResponse, loss: Loss): void {
  const end = response.end.bind(response)
  response.end = ((text: string) =>
    end(JSON.stringify(loseInAnswer(JSON.parse(text) as { data?: Row[] }, loss)))) as typeof response.end
}

/** Of one endpoint, or of several: 'E3 E12'. */
function isAbout({ endpoint }: Loss, path: string): boolean {
  return endpoint.split(' ').some((one) => path.endsWith(paths[one] ?? ''))
}

interface Lossy {
  readonly world: EscrowWorld
  /** Loses a key for so long. @returns what was told meanwhile, and what drift says of it */
  readonly without: (loss: Loss) => Promise<{ readonly told: string[]; readonly drift: string[] }>
}

async function start(spell: (record: WireRecord) => WireRecord = (record) => record): Promise<Lossy> {
  let loss: Loss | null = null
  let n = 100
  const traffic = (world: Pick<EscrowWorld, 'deposit' | 'withdraw' | 'zone' | 'now' | 'fake'>) => {
    n += 1
    const amount = String(300 + n)
    const words = [BigInt(amount) * 1_000_000n, token, user(n)]
    world.deposit(n, { amount, event: words })
    world.deposit(n, { amount: `1.${n}`, token: '', decimals: 18 })
    const at = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
    world.withdraw(n, { ...at, zoneBlockTime: String(world.now() - 5 * second) })
    const side = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }
    const failed = world.withdraw(n + 1_000, { ...side, zoneBlockTime: String(world.now()), status: '0x0' })
    world.zone(failed['zoneTxHash'] ?? '', { status: '0x0', value: '', valueRaw: '' })
  }
  const world = await createEscrowWorld({
    rules,
    bridge: { contracts: [bridge], escrows: [{ address: escrow, token, baseline: null }] },
    prepare(bare) {
      const before = bare.fake.intercept
      bare.fake.spell = spell
      bare.fake.intercept = (request, response) => {
        if (loss !== null && isAbout(loss, request.path)) loseOnTheWay(response, loss)
        return before(request, response)
      }
      for (let count = 0; count < 4; count += 1) traffic(bare)
    },
  })
  await world.pass(120 * second)
  const { db } = world.monitor.app.parts
  const alerts = () => db.prepare('SELECT id, kind, subject, finding FROM alerts ORDER BY id').all()
  const without: Lossy['without'] = async (next) => {
    const seen = alerts().length
    loss = next
    traffic(world)
    await world.pass(80 * second)
    loss = null
    await world.pass(40 * second)
    const found = alerts().slice(seen)
    return {
      told: found
        .filter(({ kind }) => kind !== 'source.drift')
        .map(
          ({ kind, finding }) =>
            `${String(kind)} ${JSON.stringify((JSON.parse(findingText(finding)) as Finding).facts)}`,
        ),
      drift: alerts().flatMap(({ kind, finding }) => (kind === 'source.drift' ? [findingText(finding)] : [])),
    }
  }
  return { world, without }
}

const keys: Readonly<Record<string, readonly string[]>> = {
  E3: [
    'txType',
    'crossType',
    'status',
    'mainTxHash',
    'mainBlockHeight',
    'mainBlockTime',
    'zoneTxHash',
    'zoneBlockHeight',
    'zoneBlockTime',
    'sourceAddress',
    'targetAddress',
    'value',
    'valueRaw',
    'tokenContractAddress',
    'tokenType',
  ],
  E12: [
    'txType',
    'crossType',
    'status',
    'mainTxHash',
    'mainBlockHeight',
    'mainBlockTime',
    'zoneTxHash',
    'zoneBlockHeight',
    'zoneBlockTime',
    'sourceAddress',
    'targetAddress',
    'value',
    'valueRaw',
    'tokenContractAddress',
    'tokenType',
    'zoneEventIndex',
    'batchDetail',
    'updateTime',
  ],
  E9: ['hash', 'blockHeight', 'blockTime', 'status', 'actionType', 'value', 'valueRaw', 'actionData'],
  E13: ['txId', 'height', 'transactionTime', 'from', 'to', 'amount', 'tokenContractAddress', 'tokenId'],
  E7: ['txId', 'height', 'transactionTime', 'from', 'to', 'amount', 'state'],
  E6: ['txId', 'height', 'transactionTime', 'from', 'to', 'amount', 'state', 'tokenContractAddress'],
  E19: ['height', 'address', 'topics', 'data', 'transactionTime', 'logIndex', 'txId'],
}

async function loseEach(
  lossy: Lossy,
  {
    endpoint,
    isHalf = false,
    of = keys[endpoint] ?? [],
  }: { endpoint: string; isHalf?: boolean; of?: readonly string[] },
) {
  const said: Record<string, unknown> = {}
  for (const key of of) {
    const { told, drift } = await lossy.without({ endpoint, key, isHalf })
    const [first = ''] = endpoint.split(' ')
    const named = drift.filter((text) => text.includes(`"endpoint":"${first}"`) && text.includes(key))
    const failed = told.filter((text) => text.startsWith('transfer.failed'))
    said[key] = {
      isTold: named.some((text) => text.includes(`\`${key}s\``) || text.includes('is missing')),
      failed: failed.length,
      others: told.filter((text) => !text.startsWith('transfer.failed')),
    }
  }
  return said
}

function withoutId(record: WireRecord): WireRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== 'id'))
}

/** What may be left out of what is in flight: E12 is asked of nothing else here. */
const inFlight = new Set(['E12 mainTxHash', 'E12 mainBlockHeight', 'E12 mainBlockTime', 'E12 status'])

function allFine(endpoint: string, of: readonly string[] = keys[endpoint] ?? []) {
  return Object.fromEntries(
    of.map((key) => [key, { isTold: !inFlight.has(`${endpoint} ${key}`), failed: 1, others: [] }]),
  )
}

describe('semantics.md 38: a key is lost', () => {
  test.each(Object.keys(keys))('of all rows of %s', async (endpoint) => {
    const lossy = await start()
    expect(await loseEach(lossy, { endpoint })).toEqual(allFine(endpoint))
  })

  test.each(['E3', 'E9'])('of every second row of %s', async (endpoint) => {
    const lossy = await start()
    expect(await loseEach(lossy, { endpoint, isHalf: true })).toEqual(allFine(endpoint))
  })

  const ofRecords = ['valueRaw', 'tokenContractAddress', 'targetAddress', 'status', 'crossType']
  test.each(['E3', 'E12', 'E3 E12'])('of the rows of %s, which bear no id', async (endpoint) => {
    const lossy = await start(withoutId)
    expect(await loseEach(lossy, { endpoint, of: ofRecords })).toEqual(allFine('E3', ofRecords))
  })
})

describe('semantics.md 38: what operators sent', () => {
  const operator = `0x${'0b'.repeat(20)}`

  test('is not taken for nothing where the newest rows lack a key', async () => {
    let lostSince = Infinity
    const world = await createEscrowWorld({
      rules: 'rules:\n  - { name: quiet, on: operator.quiet, with: { after: 5m }, severity: critical }\n',
      bridge: { operators: [{ address: operator, minBalance: null }] },
      prepare(bare) {
        const startedAt = bare.now()
        const { fake, now } = bare
        const before = fake.intercept
        fake.intercept = (request, response) => {
          if (!request.path.endsWith('/address/normal-transaction-list-multi'))
            return before(request, response)
          const [from, to] = ['startBlockHeight', 'endBlockHeight'].map((name) =>
            Number(request.query.get(name)),
          )
          const rows = Array.from({ length: Math.floor((now() - startedAt) / (30 * second)) }, (_, n) => {
            const height = 10_000 + n * 30
            const at = startedAt + n * 30 * second
            const row = {
              txId: `0x${(n + 1).toString(16).padStart(64, '0')}`,
              blockHash: '0xb0',
              height: String(height),
              transactionTime: String(at),
              from: operator,
              to: escrow,
              amount: '0',
              txFee: '0',
            }
            return at < lostSince ? row : lose(row, 'from')
          }).filter(({ height }) => Number(height) >= (from ?? 0) && Number(height) <= (to ?? 0))
          const page = {
            page: '1',
            limit: '100',
            totalPage: '1',
            chainFullName: 'Main',
            chainShortName: 'MAINCHAIN',
          }
          send(response, 200, { code: '0', msg: '', data: [{ ...page, transactionList: rows.reverse() }] })
          return true
        }
        for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      },
    })
    await world.pass(120 * second)
    lostSince = world.now()
    for (let n = 10; n < 20; n += 1) {
      world.deposit(n, { amount: '500' })
      await world.pass(60 * second)
    }
    expect(world.conditions()).toEqual([])
  })
})
