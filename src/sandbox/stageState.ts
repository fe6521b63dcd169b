import type { UnixMs } from '../lib/clock.ts'
import type { StageSettings } from './settings.ts'

/** What withdrawals pass before they are paid: a proposal that covers them, a proof by it, and a time to dispute that. */
export interface Stages extends StageSettings {
  /** Times in which nothing is proposed. */
  readonly stops: { readonly from: UnixMs; readonly until: UnixMs }[]
  /** Those that stand, oldest first. */
  proposals: { readonly at: UnixMs; readonly zoneHeight: number }[]
  /** Withdrawals that no proposal covers. */
  waiting: number[]
  /** Of those that one covers the step that comes next, and when; null where nobody takes it. */
  readonly next: Map<number, { readonly step: 'prove' | 'claim'; readonly at: UnixMs | null }>
}

export function createStages(settings: StageSettings): Stages {
  return { ...settings, stops: [], proposals: [], waiting: [], next: new Map() }
}
