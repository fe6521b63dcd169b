import type { UnixMs } from '../../lib/clock.ts'
import type { FactValue } from '../../bridge/finding.ts'
import type { CaseActions } from './caseActions.ts'

/** Label and value. */
export interface ItemField {
  readonly label: string
  readonly value: string
  readonly href: string | null
  /**
   * Where it stands: a `fact` to act on, at most four; a transaction's `hash`, short beneath the headline and whole among
   * the details; a `detail`; or nowhere, `said` in other words already. Left out, the first four are facts.
   */
  readonly place?: 'fact' | 'hash' | 'detail' | 'said'
}

/** One item of a message, worded but not escaped: every string may hold text from the chain. */
export interface MessageItem {
  readonly alertId: string
  /** The case that it is told within, e.g. `c42`; left out where it is told within none. */
  readonly caseId?: string
  readonly rule: string
  readonly kind: string
  readonly severity: 'critical' | 'warning' | 'info'
  /**
   * `update`: more about what another alert reported already. `ended`: over, and not well, as when what was late has failed;
   * `resolved` is well.
   */
  readonly status: 'event' | 'firing' | 'update' | 'resolved' | 'ended' | 'correction' | 'repeat'
  /** The verdict in one line: the rule's summary, or the kind's own words. */
  readonly summary: string
  /** The subject in full: both hashes, the chain, the source. */
  readonly subject: string
  /** Label and value in the order of importance: amount, token, direction, age, hashes, facts, evidence. */
  readonly fields: readonly ItemField[]
  readonly facts: Readonly<Record<string, FactValue>>
  readonly labels: Readonly<Record<string, string>>
  /** What to do next, in one line; null where nothing is to be done, as for an end. */
  readonly remedy: string | null
  readonly runbook: string | null
  readonly since: UnixMs
  readonly at: UnixMs
  /** Items that are over: how long it lasted. */
  readonly lastedMs: number | null
  /** A correction by which nothing of it holds any more; left out otherwise. */
  readonly isTakenBack?: boolean
  /** What other rules find of the same thing, which this one says already. */
  readonly joined: readonly MessageItem[]
}

/** How much of one token is at risk in a case. */
export interface MoneyAtRisk {
  /** Lower-case contract address; '' is the native currency. */
  readonly token: string
  /** From the configuration, else the untrusted name in brackets, else the address. */
  readonly symbol: string
  /** Token units, exact, no separators. */
  readonly amount: string
  /** In US dollars, two decimals, where a price is configured; null where none is. */
  readonly usd: string | null
}

/** The case that a message's items belong to: findings that share a cause. */
export interface MessageCase {
  /** As people call it, e.g. `c42`; stable for its life. */
  readonly id: string
  /** Its id and the ledger's, for its whole life: what belongs together refers to it. */
  readonly root: string
  /** What pagers know it by. Another one each time that the case opens again, so that it rings anew. */
  readonly key: string
  /** The one before, which a pager may still show as open; null while it opened once. */
  readonly keyBefore: string | null
  /** How often it has opened. */
  readonly turn: number
  readonly state: 'open' | 'acknowledged' | 'handled' | 'closed'
  readonly severity: 'critical' | 'warning' | 'info'
  /** Its worst finding, in one line. */
  readonly title: string
  /** By token, the largest first; each unit of money is counted once. */
  readonly money: readonly MoneyAtRisk[]
  /** How many findings it gathers. */
  readonly members: number
  /** When what it is about began, which may be long before it was found. */
  readonly openedAt: UnixMs
  /** When it opened last, by our clock. */
  readonly turnAt: UnixMs
  readonly closedAt: UnixMs | null
  readonly assignee: string | null
  /** Who acknowledged or handled it last, and why; null while nobody did. */
  readonly by: string | null
  readonly reason: string | null
  /** The case that it goes on as; null for one that stands by itself. */
  readonly mergedInto: string | null
  /** The ledger's key of the one transfer that it is about; null where there are several, or none. */
  readonly transferKey: string | null
  /** Its page; null where no address is configured. */
  readonly url: string | null
}

/**
 * What happened to a case as a whole: told to the channels that follow cases, beside or without items. `merged` is told
 * of the case that went into another and is no more, never of the one that lives on.
 */
const caseChanges = [
  'acknowledged',
  'assigned',
  'noted',
  'handled',
  'closed',
  'opened again',
  'merged',
  'matched',
  'written off',
  'taken back',
] as const
export type CaseChange = (typeof caseChanges)[number]

/** What somebody wrote of a case: a note, or why a break in it was matched, written off or taken back. */
export interface CaseNote {
  readonly what: Extract<CaseChange, 'noted' | 'matched' | 'written off' | 'taken back'>
  readonly by: string | null
  readonly text: string
}

/** Of what was stored as one; null for a word that is none. */
export function readCaseChange(text: string): CaseChange | null {
  return caseChanges.find((one) => one === text) ?? null
}

/** A finished message for one channel. Channels render and deliver it; they decide nothing. */
export interface Message {
  /** Short and stable over attempts and restarts, e.g. `a1b2c3`. */
  readonly id: string
  /** 1 for the first try; shown when above 1, so that a reader can see a possible duplicate. */
  readonly attempt: number
  readonly channel: string
  readonly severity: 'critical' | 'warning' | 'info'
  /** One line: severity as a word, the count, the verdict. */
  readonly headline: string
  /** Shown in full: at most 25, or the 10 largest when there are more. */
  readonly items: readonly MessageItem[]
  /** From this one on items are told in a line each: they are many of one kind. Left out, none is. */
  readonly briefFrom?: number
  /** The cases of a message about several, the worst first: one line each. Left out, there are none to tell apart. */
  readonly cases?: readonly MessageCase[]
  /** How many they are in all; left out where `cases` is. */
  readonly caseCount?: number
  /** Shown in the mail, the webhook and the page only, when the items are too many. */
  readonly rest: readonly MessageItem[]
  readonly total: number
  /** The case of all its items; null for a message about several cases, or none. */
  readonly case: MessageCase | null
  /** What happened to that case as a whole, oldest first; a message may have no items then. */
  readonly changes: readonly CaseChange[]
  /** What was written of that case meanwhile, oldest first; left out where nothing was. */
  readonly notes?: readonly CaseNote[]
  readonly createdAt: UnixMs
  /** Base address of the status page, for links; null when not configured. */
  readonly pageUrl: string | null
}

/** Of a message that leaves nothing to be sent to the channel. */
export const moot = { result: 'ack', isMoot: true } as const

/** Whether an answer says that the channel takes messages. */
export function isTaken(result: DeliveryResult): boolean {
  return result.result === 'partial' || (result.result === 'ack' && result.isMoot !== true)
}

/** What a channel's answer means; delivery/planDelivery.ts says what follows from it. `reason` is for people, without secrets. */
export type DeliveryResult =
  /**
   * `thread`: what the channel needs to find this case's thread again, e.g. the time stamp of its first message. The
   * newest one counts; left out, the one before stays. `isMoot`: there was nothing to send, which says nothing of the channel.
   */
  | { readonly result: 'ack'; readonly thread?: string; readonly isMoot?: true }
  /** Some recipients took it, some did not: `retry` are transient, `refused` permanent. */
  | {
      readonly result: 'partial'
      readonly retry: readonly string[]
      readonly refused: readonly { readonly recipient: string; readonly reason: string }[]
      /** As of an acknowledgement. */
      readonly thread?: string
    }
  | { readonly result: 'throttled'; readonly retryAfterMs: number; readonly reason: string }
  /** May or may not have arrived: retried later. */
  | { readonly result: 'transient'; readonly reason: string }
  /** A success status whose body does not say so: not an acknowledgement. */
  | { readonly result: 'suspicious'; readonly reason: string }
  /** The message itself was refused: once more in plain form, then set aside. */
  | { readonly result: 'bad_message'; readonly reason: string }
  /** The channel is gone, refuses us or takes nothing for ten minutes: open the circuit. Probed again after a quarter of an hour, or after so long. */
  | { readonly result: 'dead'; readonly reason: string; readonly probeAfterMs?: number }

export interface DeliveryOptions {
  readonly signal: AbortSignal
  /** Plain text only, short: after a `bad_message`. */
  readonly degraded: boolean
  /** Mail: only these recipients (the rest has it); null is all. */
  readonly recipients: readonly string[] | null
  /** What the channel gave back when it last told of the message's case; null when it did not yet. */
  readonly thread?: string | null
}

/** A case that a channel was told of and that stands. */
export interface StandingCase {
  readonly case: MessageCase
  /** What the channel gave back when it last told of it. */
  readonly thread: string
}

/** How a channel hears what people press. */
export interface ListeningStatus {
  /** `waiting`: broken, and tried again soon; `refused`: its token is not let in, which is tried again rarely. */
  readonly state: 'connecting' | 'connected' | 'waiting' | 'refused' | 'closed'
  readonly since: UnixMs
  readonly reason: string | null
}

export interface Channel {
  readonly name: string
  readonly type:
    | 'slack'
    | 'slack-app'
    | 'email'
    | 'webhook'
    | 'pagerduty'
    | 'alertmanager'
    | 'teams'
    | 'discord'
    | 'telegram'
    | 'console'
  /** It shows a case as one thing that changes: it is told what happens to the case as a whole, and gets one case a message. */
  readonly followsCases?: true
  deliver(message: Message, options: DeliveryOptions): Promise<DeliveryResult>
  /** Of one that has buttons: hears what people press from now on, and says how that goes. Before, it shows none. */
  listen?(actions: CaseActions): void
  listening?(): ListeningStatus | null
  /** Of a service that forgets what is not said again: it is handed every open case that it was told of, past the outbox. */
  readonly refresh?: {
    readonly everyMs: number
    /** Left out where nobody else could have told otherwise meanwhile. */
    mayTell?(): Promise<boolean>
    tell(cases: readonly StandingCase[], options: Pick<DeliveryOptions, 'signal'>): Promise<DeliveryResult>
  }
  /** A report with its tables, charts and files; channels without it get a message that sums it up. */
  deliverReport?(report: RenderedReport, options: DeliveryOptions): Promise<DeliveryResult>
  close(): Promise<void>
}

/** Whether a channel lists every item of a message, however many there are. */
export function listsRest({ type }: Pick<Channel, 'type'>): boolean {
  return type === 'email' || type === 'webhook'
}

export interface ReportChart {
  /** Names the image within the mail. */
  readonly name: string
  /** What it shows, for those who do not see it: the numbers stand in the tables. */
  readonly description: string
  readonly png: Buffer
}

export interface CsvFile {
  readonly name: string
  readonly content: string
}

/** A report in every form that a mail or a folder needs. */
export interface RenderedReport {
  readonly day: string
  /** Of each attempt the same, and of another report of the day another one. */
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly charts: readonly ReportChart[]
  readonly csv: readonly CsvFile[]
}
