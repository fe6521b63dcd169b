import type { EvidenceNote, FactValue } from '../bridge/finding.ts'
import type { ItemField, MessageCase, MoneyAtRisk } from '../delivery/channels/message.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Severity } from '../rules/types.ts'

/** A case as page, API and command line show it. Its strings may hold text from the chain. */
export interface CaseView
  extends Pick<
    MessageCase,
    | 'id'
    | 'state'
    | 'severity'
    | 'title'
    | 'money'
    | 'members'
    | 'openedAt'
    | 'closedAt'
    | 'assignee'
    | 'by'
    | 'reason'
    | 'transferKey'
  > {
  /** How often it opened, and when it did last. */
  readonly turn: number
  readonly turnAt: UnixMs
  /** When `by` acknowledged or handled it. */
  readonly byAt: UnixMs | null
  readonly changedAt: UnixMs
  /** What brings it back to those who took it; null while it is open. */
  readonly comesBack: string | null
}

/** One case of the status, with what it says to the verdict. */
export interface StatusCase extends CaseView {
  /** The most severe of what holds in it, or was found of late; null when nothing of it counts any more. */
  readonly counts: Severity | null
}

/** One alert of a case. */
export interface CaseFinding extends AlertView {
  /** Several findings may name the same money: the case counts it once. */
  readonly atRisk: MoneyAtRisk | null
}

/** A case with all that is kept of it. */
export interface CaseStory extends CaseView {
  /** What is to be done about the worst of it; null once its finding is forgotten. */
  readonly remedy: string | null
  readonly runbook: string | null
  /** Of the worst of it, which a runbook is about; null once its finding is forgotten. */
  readonly kind: string | null
  /** What messages say of the worst of it, with units; empty once its finding is forgotten. */
  readonly fields: readonly ItemField[]
  /** The worst ones, at most 50; `members` is how many findings there were in all. */
  readonly findings: readonly CaseFinding[]
  /** The newest 200 entries, and as many older ones that are more than that a finding joined; oldest first. */
  readonly timeline: readonly {
    readonly at: UnixMs
    readonly what: string
    readonly by: string | null
    readonly text: string
  }[]
  /** Channels that were told, or are about to be; `at` is when they took the newest message; null before the first. */
  readonly told: readonly { readonly channel: string; readonly at: UnixMs | null }[]
  /** Who is told too, and when, unless somebody takes it before. */
  readonly escalations: readonly {
    readonly dueAt: UnixMs
    readonly route: string
    readonly channels: readonly string[]
  }[]
  /** When what is handled is over at the earliest; null while something of it holds, and for all others. */
  readonly endsAt: UnixMs | null
}

export const caseStates = ['open', 'acknowledged', 'handled', 'closed'] as const

export interface CaseQuery {
  /** `live` is all that are not over. */
  readonly state: (typeof caseStates)[number] | 'live' | 'all'
  readonly limit: number
}

interface AlertTold {
  readonly channel: string
  /** When the channel acknowledged it; null while it waits in the outbox. */
  readonly at: UnixMs | null
}

/** One alert as the page and the API show it. Its strings may hold text from the chain. */
export interface AlertView {
  readonly id: string
  readonly rule: string
  readonly kind: string
  readonly severity: Severity
  /** `new` and `delivered` are events, the others conditions. */
  readonly state: 'new' | 'delivered' | 'pending' | 'firing' | 'recovering' | 'resolved'
  /** The subject in full: both hashes, the chain and its head, the source. */
  readonly title: string
  /** What it says in one line: the rule's `summary`, else the words of its kind. */
  readonly summary: string
  /** *Happened at*: when what it reports began. */
  readonly since: UnixMs
  /** By how much our clock is ahead of the one that `since` is measured by, ms. */
  readonly leadMs: number
  /** When it was found, by our clock. */
  readonly foundAt: UnixMs
  /** *Sent at*: when a channel first took a message of it; null while none did. */
  readonly toldAt: UnixMs | null
  /** Why nothing was sent of it, as was decided last: another rule said it, a silence held. Null where something is, and while nothing was decided. */
  readonly untold: string | null
  readonly resolvedAt: UnixMs | null
  /** It is over, and not well: what was late has failed, or its rule is gone. */
  readonly endedBadly: boolean
  readonly transferKey: string | null
  readonly facts: Readonly<Record<string, FactValue>>
  readonly evidence: readonly EvidenceNote[]
  readonly runbook: string | null
  readonly told: readonly AlertTold[]
  readonly labels: Readonly<Record<string, string>>
  readonly ack: { readonly by: string; readonly at: UnixMs } | null
  /** The silence that holds for it now; null when none does. */
  readonly silence: { readonly id: number; readonly endsAt: UnixMs } | null
  /** The case that it is part of; null while it is pending, and when its case is forgotten. */
  readonly case: { readonly id: string; readonly state: CaseView['state'] } | null
}

/** An alert with all that the ledger knows of it. */
export interface AlertStory extends AlertView {
  /** What to do next, in one line; null once it is over. */
  readonly remedy: string | null
  /** What messages say of it: label and value, with units, each with its place. */
  readonly fields: readonly ItemField[]
  readonly subject: string
  readonly episode: number
  readonly firedAt: UnixMs | null
  /** Channels that it is to be sent to when a silence or a mute time ends. */
  readonly heldFor: readonly string[]
  /** Oldest first. */
  readonly messages: readonly {
    readonly item: number
    readonly channel: string
    readonly what: string
    readonly state: string
    readonly message: string | null
    readonly queuedAt: UnixMs
    readonly sentAt: UnixMs | null
  }[]
  /** The newest 200, oldest first. */
  readonly decisions: readonly { readonly at: UnixMs; readonly what: string; readonly reason: string }[]
}
