import { openAnswers } from '../../src/ledger/evidence/legAnswers.ts'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createComparePoll, type Compared } from '../../src/checks/sources/pollCompare.ts'
import { neededTimes } from '../../src/kernel/sources/compareWords.ts'
import { createExplorer } from '../../src/clients/explorer/createExplorer.ts'
import { createRpc } from '../../src/clients/rpc/createRpc.ts'
import { joinRpcs } from '../../src/clients/rpc/rpcSeat.ts'
import { joinExplorers } from '../../src/clients/explorer/explorerSeat.ts'
import { zoneBlocks } from '../../src/clients/explorer/endpoints/blocks.ts'
import { createSeat, type Member, type Seat } from '../../src/clients/seat.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { getTransfer } from '../../src/sandbox/transfers.ts'
import { faults, type SourceFault, startBentSource } from '../support/bentSource.ts'
import { plainConfig } from '../support/appConfig.ts'
import { toRecord } from '../support/records.ts'
import { createTestKernel, noSignal } from '../unit/checks/support.ts'
import { startAt, startStepped, type SteppedSandbox } from '../integration/sandbox/steppedSandbox.ts'

const seats = ['explorer', 'canonical', 'preconf', 'zoneRpc'] as const
type SeatName = (typeof seats)[number]

const yaml = '{ name: matrix, seed: 7, traffic: { transfersPerMinute: 120, emptyIds: 0 } }'
const aliveMs = 300_000
const behindMs = 120_000
/** Nobody waits for it but where a source does not answer: a busy machine is late by more than the fast one is. */
const patienceMs = (fault: SourceFault) => (fault === 'slow' ? 1_000 : 10_000)

const urlOf = (seat: SeatName, { sandbox }: SteppedSandbox) =>
  ({
    explorer: sandbox.url,
    canonical: sandbox.canonicalUrl,
    preconf: sandbox.rpcUrl,
    zoneRpc: sandbox.zoneRpcUrl,
  })[seat]

/** Sources `a`, `b`, … of one seat, of which the first, which is asked before the others, has a fault. */
async function play(seat: SeatName, count: number, fault: SourceFault) {
  await using stack = new AsyncDisposableStack()
  const timeoutMs = patienceMs(fault)
  const [world, late] = [stack.use(await startStepped(yaml)), stack.use(await startStepped(yaml))]
  world.step(aliveMs)
  late.step(aliveMs - behindMs)
  const names = ['a', 'b', 'c'].slice(0, count)
  const urls: string[] = []
  for (const [at] of names.entries()) {
    const own = at === 0 ? fault : 'honest'
    const target = urlOf(seat, own === 'lagging' ? late : world)
    urls.push(stack.use(await startBentSource({ target, fault: own })).url)
  }
  const kernel = createTestKernel({ start: startAt + aliveMs })
  const { clock } = kernel
  const explorerOf = (baseUrl: string) => {
    const explorer = createExplorer({
      ...plainConfig.explorer,
      baseUrl,
      timeoutMs,
      clock,
      log: createSilentLog(),
    })
    stack.defer(() => explorer.close())
    return explorer
  }
  const rpcOf = (source: Exclude<SeatName, 'explorer'>, url: string) => {
    const rpc = createRpc({ source, url, clock, timeoutMs })
    stack.defer(() => rpc.close())
    return rpc
  }
  const sit = <T>(client: (url: string) => T): Seat<T> => {
    const members = names.map((name, at) => ({ name, client: client(urls[at] ?? '') }))
    return createSeat(members as [Member<T>, ...Member<T>[]], clock)
  }
  const explorers =
    seat === 'explorer'
      ? sit(explorerOf)
      : createSeat([{ name: 'explorer', client: explorerOf(world.sandbox.url) }], clock)
  const nodes = seat === 'explorer' ? null : sit((url) => rpcOf(seat, url))
  const rpcs = { seats: { preconf: null, canonical: null, zoneRpc: null, ...(nodes && { [seat]: nodes }) } }
  fillLedger(kernel, world)
  const compared: Compared = { differences: null, possible: [] }
  const { contracts, tokens } = world.sandbox.world
  const bridge = {
    ...plainConfig.bridge,
    escrows: tokens
      .slice(0, 2)
      .map(({ address }) => ({ address: contracts.escrow, token: address, baseline: null })),
  }
  const config = { ...plainConfig, bridge }
  const poll = createComparePoll({ ...kernel, config, explorers, rpcs: rpcs as never }, compared)
  for (let time = 0; time < neededTimes; time += 1) await poll(noSignal)
  const answered = nodes
    ? await joinRpcs(nodes)
        .call('eth_blockNumber', ['latest'])
        .catch(() => null)
    : await joinExplorers(explorers)
        .call(zoneBlocks, { limit: 1 }, { priority: 'urgent', attempts: 1 })
        .catch(() => null)
  const isOfBent = ({ names: odd }: { readonly names: readonly string[] }) => odd.includes(`${seat} a`)
  const told = (compared.differences ?? []).filter(({ times }) => times >= neededTimes)
  return {
    answered: answered !== null,
    told: [...new Set(told.filter(isOfBent).map(tell))].sort(),
    current: (nodes ?? explorers).current().name,
    falsely: told.filter((one) => !isOfBent(one)).map(({ says }) => says),
  }
}

function tell({ what, names, isTie }: { what: string; names: readonly string[]; isTie: boolean }): string {
  return `${what}: ${isTie ? `${names.join(' and ')} differ` : names.join(', ')}`
}

/** What was asked about before: transactions of both chains, and transfers that are over. */
function fillLedger(
  { commit, db, ledger }: ReturnType<typeof createTestKernel>,
  { sandbox }: SteppedSandbox,
) {
  const world = sandbox.look()
  const over = world.listed.values
    .map((number) => getTransfer(world, number))
    .filter(
      ({ main, zone }) => main !== null && zone !== null && Math.max(main.at, zone.at) < world.now - 150_000,
    )
    .slice(-12)
  const answers = openAnswers(db, [])
  for (const [chain, source] of [
    ['main', 'canonical'],
    ['zone', 'zoneRpc'],
    ['main', 'E13'],
    ['zone', 'E9'],
  ] as const)
    for (const transfer of over)
      answers.put({ chain, hash: transfer[chain]?.hash ?? '', source, at: 0, status: 'success', body: {} })
  answers.save()
  for (const { main, zone, direction, id } of over) {
    const [mainHash, zoneHash] = [main?.hash ?? null, zone?.hash ?? null]
    const times = { mainTime: main?.at ?? null, zoneTime: zone?.at ?? null }
    ledger.recordAnswer([toRecord({ id, direction, mainHash, zoneHash, ...times })], world.now)
  }
  const heads = { main: 5_000_000, zone: 21_300_000 }
  const aliveFor = world.now - world.genesisAt
  commit({
    heads: [
      {
        chain: 'main',
        height: heads.main + Math.floor(aliveFor / 1_000),
        blockTime: world.now,
        requestedAt: world.now,
      },
      {
        chain: 'zone',
        height: heads.zone + Math.floor(aliveFor / 100),
        blockTime: world.now,
        requestedAt: world.now,
      },
    ],
  })
}

describe.each([2, 3])('with %i sources of a seat', (count) => {
  test.each(seats)('an honest %s is told of nothing', async (seat) => {
    expect(await play(seat, count, 'honest')).toEqual({ answered: true, told: [], current: 'a', falsely: [] })
  })
})

/** Balances are asked of nodes of the main chain alone; a node that is asked too much says so. */
const hasFault = (seat: SeatName, fault: SourceFault) =>
  fault !== 'honest' &&
  (fault !== 'miscounting' || seat === 'canonical' || seat === 'preconf') &&
  (fault !== 'throttled' || seat === 'explorer')

const preface = `# Sources that are wrong

Every source may be one of several ([configuration.md](configuration.md): \`explorer.baseUrl\`, \`preconf.url\`, \`canonical.url\`,
\`zoneRpc.url\`). One of them is asked; another takes its place within the same question when it does not answer, and keeps it; what
one does not have, a method or a path, another is asked for.
One that failed rests, ever longer, 30 seconds at first and ten minutes at most. Every 30 seconds all sources of a chain are asked
the same: their heads, a block, the newest receipts, what the escrows hold, and, of explorers, records and transactions of
transfers that are over. Who differs twice in a row is \`source.differs\`, and gives up his place; where as many say the one as the other nobody is the odd one, and the
alert names all.

A node of the main chain that is named alone has nobody to take its place. It is compared with the explorer, by three blocks that no
reorganisation replaces any more; while all three are others it is asked nothing, and \`source.differs\` says so.

## A node that answers, and shows too little

| what it does | what is made of it |
|---|---|
| it gives no receipt of a transaction | absent after three readings in which it knew another, and its own block of that height does not hold it. Of one whose block it does not show, though its head is above, nothing is judged; \`monitor.poll_overdue\` says so where the block is no older than an hour, which a node may have forgotten |
| it knows none of the transactions behind its head | nothing is judged by it; \`monitor.poll_overdue\` of \`receipts\` or \`zoneReceipts\` names what it ought to know: it may be of another chain |
| receipts without logs (or with none where \`logsBloom\` says that there are some), or with logs that cannot be read | of the former the status alone is taken, of the latter nothing; \`source.drift\` says of how many |
| receipts without logs, one of a transaction among them that it showed logs of before | of those that show none the status alone is taken, and they are asked for again; \`monitor.poll_overdue\` of \`receipts\` or \`zoneReceipts\` names that one |
| \`eth_getLogs\` shows too little of what known withdrawals wrote, or was asked of a node that has not come so far | the blocks are read again until it does; \`monitor.poll_overdue\` of \`zoneLogs\` says so after ten minutes. One withdrawal without a log holds nothing up: it may be forged |
| it is behind, or behind one address nodes are unequally far | its head is the highest that was shown lately; what lies above a node's own head is not absent |
| it refuses ranges, batches, or asks to slow down | smaller ranges and batches, and the questions again; where its ranges are so small or so slow that the zone's logs fall ten minutes behind, \`monitor.poll_overdue\` of \`zoneLogs\` says so |

## How many have to agree

Some accusations rest on what is *not* there, or on a number that one source gives: an origin or a record that is nowhere, a
receipt that is missing, less in an escrow than is owed, more of a token than was locked. Their evidence says by how many
sources, and names them: "one source (api.example.org)". With \`explorer.quorum: 2\` (\`canonical.quorum\`, \`preconf.quorum\`,
\`zoneRpc.quorum\`) the others of the seat are asked the same before it is said, all at once, each for one request:

| the others | what is said |
|---|---|
| as many as have to say the same | the accusation, "2 sources (a, b)" |
| one contradicts, and fewer than have to agree | no accusation: \`source.differs\`, critical, with what each said; asked again until they agree |
| they do not answer, are behind, or do not show what is known to be there | the accusation, "one source (a): b could not tell" |

So an accusation is put off by no more than the time of one request, and a source that is dead hides nothing. Of one host and
port there is one source, however many addresses it has, and a quorum that is higher than the hosts of its seat is refused at the
start; whether two hosts are one operator's, nobody here can see. Asked this way:

| seat | accusation |
|---|---|
| explorer | \`transfer.unbacked\`: its origin does not exist, no record names the payout; \`escrow.drift\`: no record tells of a movement; \`transfer.vanished\` |
| canonical, zoneRpc | a receipt that is missing: \`transfer.unbacked\`, \`source.disagreement\` |
| canonical, else preconf | \`escrow.shortfall\`; a balance that changed without a movement: \`escrow.drift\` |
| zoneRpc | \`supply.excess\` |

Not asked: what is there and says something else (a failed origin, an amount, a record that names no origin), and what is told early
because minutes count, before anything is proven: \`preconf.unbacked\`, the sums of \`escrow.drift\` that are "not explained yet".

## What is told of which fault

This table is written by \`test/worlds/sourceMatrix.test.ts\`, which plays each fault in each seat: \`a\` is the source that is wrong
and is asked first, \`b\` and \`c\` are honest. "Goes on with" is who is asked after the comparison; "false" counts what was said of honest sources.

| seat | fault of a | sources | told | goes on with | false |
|---|---|---|---|---|---|
`

test('each fault in each seat: what is told of it, and nothing of the others', async () => {
  const rows: string[] = []
  for (const seat of seats)
    for (const fault of faults.filter((one) => hasFault(seat, one)))
      for (const count of [2, 3]) {
        const { answered, told, falsely, current } = await play(seat, count, fault)
        expect([seat, fault, count, answered, falsely]).toEqual([seat, fault, count, true, []])
        const cells = [seat, fault, count, told.join('; ') || 'not told', current, falsely.length]
        rows.push(`| ${cells.join(' | ')} |\n`)
      }
  const document = fileURLToPath(new URL('../../docs/sources.md', import.meta.url))
  await expect(`${preface}${rows.join('')}`).toMatchFileSnapshot(document)
}, 300_000)
