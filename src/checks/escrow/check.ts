import { unhurried } from '../../clients/explorer/createExplorer.ts'
import { asHeld } from '../../bridge/movedToken.ts'
import { createBalanceReads } from '../../kernel/reads/balanceReads.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createMainReads } from '../../kernel/reads/mainReads.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import { intervalOf } from '../../kernel/running/schedule.ts'
import { rebaseInstant } from '../../lib/rebaseInstant.ts'
import { closeEntries, entriesKeptMs } from './accounts/accountStore.ts'
import { accountTransfers } from './explaining/keepAccounts.ts'
import { escrowDrift } from './drift.ts'
import { type ListReturn, readEscrowFacts } from './facts.ts'
import { purgeCourse } from './owed/courseStore.ts'
import { createFlowReader } from './reading/flowReader.ts'
import { flowsKeptMs, readNets } from './flows/flowStore.ts'
import { type Purged, purgeFlows } from './flows/purgeFlows.ts'
import { escrowForeignToken } from './flows/foreignToken.ts'
import { escrowHeadroom } from './headroom.ts'
import { createHeadroomReader } from './headroomStore.ts'
import { type EscrowPart, givenEscrow } from './holding.ts'
import { saveSurplus } from './owed/surplusStore.ts'
import { noteUnjudged, purgeUnjudged } from './owed/unjudgedStore.ts'
import { purgeOwedLegs } from './owed/owedLegs.ts'
import { pollBalances } from './balances/pollBalances.ts'
import type { EscrowBalances } from './balances/compareReading.ts'
import { checkFlows } from './explaining/pollChecks.ts'
import { wakeUnasked } from './flows/gainedStore.ts'
import { once } from '../../lib/once.ts'
import { pollGained } from './explaining/pollGained.ts'
import { noteSurplus } from './explaining/noteSurplus.ts'
import { readLocked } from './explaining/readLocked.ts'
import { noteProvenMoves } from './reading/provenMoves.ts'
import { readFlows, readNewFlows, readPastFlows } from './reading/pollFlows.ts'
import { escrowKept } from './kept.ts'
import { escrowShortfall } from './shortfall.ts'
import { supplyExcess } from './supply/excess.ts'
import { listSupplyTokens, pollSupply, type SupplyReader } from './supply/pollSupply.ts'
import { supplyUnknown } from './supply/unknown.ts'
import { escrowUnjudged } from './unjudged.ts'
import {
  type EscrowWatch,
  noteTransfers,
  openEscrowWatch,
  reserveOf,
  reserveSince,
  riskOf,
} from './watched/watch.ts'

/** How often what is due is judged; it asks nothing while nothing is. */
const checksMs = 10_000
/** The share of the pace for reading on lists that are full of what does not count, and how often those are looked for. */
const crowdShare = 0.1
const crowdsMs = 30_000

const unjudgedKeptMs = 86_400_000
const purgedAtOnce = 200

/** What the escrows hold, what moves there, and what is owed. */
export const escrow: Check<EscrowPart> = {
  name: 'escrow',
  kinds: [
    escrowDrift,
    escrowShortfall,
    escrowHeadroom,
    escrowUnjudged,
    escrowForeignToken,
    supplyExcess,
    supplyUnknown,
  ],
  given: givenEscrow,
  kept: escrowKept,
  open(kernel) {
    const { config, db, stakes } = kernel
    const watch = openEscrowWatch(kernel)
    const explaining = { ...kernel, watch }
    const headroom = createHeadroomReader({ db, watch })
    const listReturn: ListReturn = { stood: false, at: null }
    const supplies = {
      tokens: listSupplyTokens(config.bridge),
      hasNode: kernel.rpcs.zoneRpc !== null,
      since: kernel.clock.now(),
    }
    let purged: Purged | undefined
    let purgedLeg = 0
    stakes.follow({
      reserveOf: (token) => reserveOf(watch, token),
      reserveSince: (token) => reserveSince(watch, token),
      riskOf: (token, amount) => riskOf(watch, token, amount),
      netOf: (hash, token) => readNets(db, hash, token),
      lockedOf: (of) => readLocked(kernel, of),
    })
    return {
      pollers: watch.places.length > 0 ? listPollers({ ...kernel, watch }) : [],
      facts: (now) => readEscrowFacts({ ...kernel, watch, headroom, supplies, listReturn }, now),
      onTransfers(changed, ceased, now) {
        const held = { changed: changed.map((one) => asHeld(one, config.bridge)), ceased }
        noteTransfers(watch, held, now)
        if (watch.places.length > 0) for (const key of ceased) saveSurplus(db, key, null)
        if (watch.places.length > 0) accountTransfers(explaining, held, now)
        noteUnjudged(kernel, { changed, ceased }, now)
        noteProvenMoves({ ...kernel, watch }, changed)
      },
      onJudged(transfer, _found, related, now) {
        if (watch.places.length > 0) noteSurplus(explaining, transfer, related, now)
        return []
      },
      rebaseClock(jump) {
        // No comparison was missed while nothing ran.
        supplies.since = jump.now
        if (listReturn.at !== null) listReturn.at = rebaseInstant(listReturn.at, jump)
      },
      prune(now) {
        const old = now - config.retention.transfersMs
        const kept = now - flowsKeptMs
        purged = purgeFlows(db, { explained: kept, inward: kept, outward: old }, purgedAtOnce, purged)
        purgedLeg = purgeOwedLegs(db, old, purgedLeg)
        closeEntries(db, now - entriesKeptMs, purgedAtOnce)
        purgeCourse(db, now, purgedAtOnce)
        purgeUnjudged(db, now - unjudgedKeptMs)
      },
    }
  },
}

interface Watching extends Kernel {
  readonly watch: EscrowWatch
}

function listPollers(kernel: Watching): Poller[] {
  const { clock, config, explorer } = kernel
  const { poll } = config
  const crowds = new Map<string, number>()
  const wakeOnce = once(() =>
    kernel.commit({ apply: (now) => (wakeUnasked(kernel.db, null, now), []), mayWait: 'without-news' }),
  )
  const main = createMainReads(kernel)
  const reader = createFlowReader({ ...kernel, crowds, main })
  // Lists that are full of what does not count are read on beside the others.
  const restMs = 1_000 / (crowdShare * config.explorer.pace.maxRequestsPerSecond)
  const slow = createMainReads({ clock, explorer: unhurried(explorer, clock, restMs) })
  const crowdReader = createFlowReader({ ...kernel, crowds, main: slow }, true)
  const checksEveryMs = Math.min(checksMs, intervalOf(poll.escrows))
  return [
    { name: 'escrows', schedule: poll.escrows, run: (signal) => readNewFlows(reader, signal) },
    {
      name: 'escrowSweep',
      schedule: poll.escrows,
      isBackground: true,
      run: (signal) => readPastFlows(reader, signal),
    },
    {
      name: 'escrowCrowds',
      schedule: crowdsMs,
      isBackground: true,
      run: (signal) => readFlows(crowdReader, signal),
    },
    { name: 'escrowChecks', schedule: checksEveryMs, run: (signal) => checkFlows(kernel, signal) },
    {
      name: 'escrowRefunds',
      schedule: checksEveryMs,
      run: (signal) => {
        wakeOnce()
        return pollGained({ ...kernel, main }, signal)
      },
    },
    ...listBalancePollers(kernel),
    ...listSupplyPollers(kernel),
  ]
}

/** Only the zone's own node says what there is at a block. */
function listSupplyPollers(kernel: Watching): Poller[] {
  const { config, rpcs } = kernel
  const tokens = listSupplyTokens(config.bridge)
  const seat = rpcs.seats.zoneRpc
  if (rpcs.zoneRpc === null || seat === null || config.zoneRpc === null || tokens.length === 0) return []
  const { confirmations } = config.zoneRpc
  const reader: SupplyReader = {
    ...kernel,
    rpc: rpcs.zoneRpc,
    seat,
    confirmations,
    tokens,
    decimals: new Map(),
  }
  return [
    {
      name: 'escrowSupply',
      schedule: config.poll.escrows,
      run: (signal) => pollSupply(reader, signal),
    },
  ]
}

/** Balances at a block need a source that gives them; none without one. */
function listBalancePollers(kernel: Watching): Poller[] {
  const { clock, config, rpcs, tellSince } = kernel
  const rpc = rpcs.canonical ?? rpcs.preconf
  const name = rpcs.canonical === null ? 'preconf' : 'canonical'
  const seat = rpcs.seats[name]
  if (rpc === null || seat === null) return []
  const balances: EscrowBalances = {
    ...kernel,
    balances: createBalanceReads({ rpc, clock }),
    seat: { name, seat },
    isCanonical: rpcs.canonical !== null,
    baselineSince: config.start.from.kind === 'now' ? null : tellSince,
    shorts: new Map(),
  }
  return [
    {
      name: 'escrowBalances',
      schedule: config.poll.escrows,
      run: (signal) => pollBalances(balances, signal),
    },
  ]
}
