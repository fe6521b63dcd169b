import { hash as digest } from 'node:crypto'
import { z } from 'zod'
import type { AdministrationAct } from './administration.ts'
import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { EvidenceNote, Finding } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { FactsOf } from '../../rules/factTable.ts'
import { declareFacts, defineRaised, type Found } from '../../rules/kind.ts'

const factTypes = declareFacts({
  group: ['upgrade', 'owner', 'role', 'pause', 'threshold', 'signer', 'fee', 'meaning', 'unknown', 'other'],
  what: 'string',
  event: 'string',
  before: 'string',
  after: 'string',
  txHash: 'string?',
  height: 'int?',
  preconfirmed: 'bool',
})

/** Who governs the bridge did something: each act is reported once. */
export const contractChanged = defineRaised({
  kind: 'contract.changed',
  nature: 'event',
  raisedBy: 'app',
  docs: 'A bridge contract or an escrow was upgraded, paused, or given another owner, role, threshold, signer or fee; its verified source is another; or an event of it, or what the zone says of transfers, means something else than before or is new.',
  remedy: "Ask the bridge's team whether this change was planned; if nobody knows of it, pause the bridge.",
  words: { over: 'it did not happen' },
  sources: ['explorer'],
  ties: ['transaction'],
  needs: ['bridge.contracts'],
  hasTransfer: false,
  subjectNames: ['contract'],
  facts: factTypes,
  params: z.strictObject({}),
})

/** An act of administration that a log shows. */
export function toActFinding(log: BridgeLog, act: AdministrationAct, now: UnixMs): Finding {
  const evidence = { source: 'E19', at: now, says: `${act.event} at block ${log.height}` }
  return toActFound(log, act, { evidence, since: Math.min(log.time ?? now, now), preconfirmed: false })
}

/** The same from the log of a transaction that is preconfirmed. */
export function toPreconfirmedAct(log: BridgeLog, act: AdministrationAct, now: UnixMs): Finding {
  const says = `${act.event}, preconfirmed for block ${log.height}`
  return toActFound(log, act, {
    evidence: { source: 'preconf', at: now, says },
    since: now,
    preconfirmed: true,
  })
}

function toActFound(
  log: BridgeLog,
  act: AdministrationAct,
  of: { readonly evidence: EvidenceNote; readonly since: UnixMs; readonly preconfirmed: boolean },
): Finding {
  const { contract, hash, height } = log
  return toFinding(contract, {
    // Whoever shows the log, and at whatever place of the block: it is the same act.
    subject: `${contract}:${hash}:${digestOf(log)}`,
    title: `Bridge contract ${contract} ${act.what}, in transaction ${hash}`,
    facts: { ...act, txHash: hash, height, preconfirmed: of.preconfirmed },
    evidence: of.evidence,
    since: of.since,
  })
}

function digestOf({ topics, data }: BridgeLog): string {
  return digest('sha256', [...topics, data].join(' ').toLowerCase(), 'hex').slice(0, 16)
}

/** A verified source that is another than it was, read twice. `differs` names what. */
export function toSourceFinding(
  contract: string,
  change: {
    readonly differs: string
    readonly before: string
    readonly after: string
    readonly digest: string
  },
  now: UnixMs,
): Finding {
  const what = `has another ${change.differs} than before`
  return toFinding(contract, {
    subject: `${contract}:source:${change.digest}`,
    title: `Bridge contract ${contract} ${what}`,
    facts: {
      group: 'upgrade',
      what,
      event: '',
      before: change.before,
      after: change.after,
      preconfirmed: false,
    },
    evidence: { source: 'E17', at: now, says: `the verified ${change.differs} differs, read twice` },
    since: now,
  })
}

/** An event whose parts are not any more where many transfers had shown them to be. */
export function toMeaningFinding(log: BridgeLog, now: UnixMs): Finding {
  const topic = log.topics[0] ?? ''
  const what = 'emits an event that says something else than before'
  return toFinding(log.contract, {
    subject: `${log.contract}:meaning:${topic}:${log.hash}`,
    title: `Bridge contract ${log.contract} ${what}`,
    facts: factsOfLog(log, 'meaning', what),
    evidence: {
      source: 'E19',
      at: now,
      says: 'five events in a row, of different parties, agree no more with what was learned',
    },
    since: now,
  })
}

/** What zone actions say of transfers is not any more what many transfers had shown. */
export function toWordsFinding({ direction, zone }: Transfer, meaning: string, now: UnixMs): Finding {
  const transfers = direction === 'ZoneToMain' ? 'withdrawals' : 'deposits'
  const what = `what the zone's transactions say of ${transfers} is not what it was: until it is learned anew the money that moves judges`
  return {
    ...toFinding('zone', {
      subject: `zone:meaning:${meaning}:${zone?.hash ?? ''}`,
      title: `Zone: ${what}`,
      facts: {
        group: 'meaning',
        what,
        event: '',
        before: '',
        after: '',
        txHash: zone?.hash ?? '',
        preconfirmed: false,
      },
      evidence: {
        source: 'E9',
        at: now,
        says: 'five in a row, of different parties and each with the money that its record says, agree no more with what was learned',
      },
      since: now,
    }),
    labels: { contract: '', chain: 'zone' },
  }
}

/** An event that stands for no transfer and that the contract never emitted before: an act that nobody knows by name. */
export function toNewEventFinding(log: BridgeLog, now: UnixMs): Finding {
  const topic = log.topics[0] ?? ''
  const what = 'emitted an event that it never did before, and that tells of no transfer'
  return toFinding(log.contract, {
    subject: `${log.contract}:event:${topic}`,
    title: `Bridge contract ${log.contract} ${what}, in transaction ${log.hash}`,
    facts: factsOfLog(log, 'unknown', what),
    evidence: {
      source: 'E19',
      at: now,
      says: `${topic} at block ${log.height}, the first of its kind, and no record names the transaction`,
    },
    since: Math.min(log.time ?? now, now),
  })
}

function factsOfLog(
  { topics, hash, height }: BridgeLog,
  group: 'meaning' | 'unknown',
  what: string,
): FactsOf<typeof factTypes> {
  return {
    group,
    what,
    event: topics[0] ?? '',
    before: '',
    after: '',
    txHash: hash,
    height,
    preconfirmed: false,
  }
}

function toFinding(
  contract: string,
  of: Pick<Found<typeof factTypes>, 'subject' | 'title' | 'facts' | 'since'> & {
    readonly evidence: EvidenceNote
  },
): Finding {
  return contractChanged.raise({
    transfer: null,
    labels: { contract, chain: 'main' },
    ...of,
    evidence: [of.evidence],
  })
}
