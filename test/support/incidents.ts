import type { AppConfig } from '../../src/kernel/settings.ts'

/** What a scenario of an incident must tell, and when what it tells of could first be seen. */
export interface Incident {
  readonly name: string
  readonly tells: readonly { readonly kind: string; readonly atSeconds: number }[]
  /** What is true at critical beside what is named, as a consequence of it. */
  readonly also: readonly string[]
}

const of = (name: string, tells: Record<string, number>, also: readonly string[] = []): Incident => ({
  name,
  tells: Object.entries(tells).map(([kind, atSeconds]) => ({ kind, atSeconds })),
  also,
})

/** Value that leaves an escrow without a transfer that explains it, so that the rest does not cover what is owed. */
const drained = ['escrow.drift', 'escrow.shortfall', 'preconf.unbacked']

/** The scenarios of incidents by name; seconds are those of their timelines. */
export const incidents: readonly Incident[] = [
  of('ronin-2022', { 'transfer.unbacked': 15, 'transfer.large': 15, 'escrow.drift': 15 }, drained),
  of('wormhole-2022', { 'transfer.unbacked': 60, 'escrow.shortfall': 60 }, drained),
  of('nomad-2022', { 'contract.changed': 15, 'transfer.unbacked': 60, 'flow.surge': 65 }, drained),
  of('harmony-2022', { 'transfer.unbacked': 15, 'flow.surge': 115 }, drained),
  of('bnb-2022', { 'transfer.unbacked': 15, 'transfer.large': 15 }, drained),
  of('qubit-2022', { 'transfer.mismatch': 15 }, drained),
  of('poly-2021', { 'contract.changed': 15, 'escrow.drift': 30 }, drained),
  of('multichain-2023', { 'escrow.drift': 15 }, drained),
  of('orbit-2023', { 'transfer.unbacked': 15 }, drained),
  of('ronin-2024', { 'contract.changed': 15, 'transfer.large': 45 }, ['transfer.unbacked', ...drained]),
  of('shibarium-2025', { 'contract.changed': 15, 'transfer.unbacked': 40 }, drained),
  of('hyperbridge-2026', { 'transfer.unbacked': 15 }, drained),
  of('kelpdao-2026', { 'source.disagreement': 15, 'transfer.unbacked': 15 }, drained),
  of('stuck-2023', { 'transfer.stalled': 46 }),
  of('reprove-2024', { 'challenge.changed': 75, 'transfer.stalled': 111 }),
]

/** The schedule that holds without a `poll` section. */
export const shippedPoll: AppConfig['poll'] = {
  transfers: '*/5 * * * * *',
  openTransfers: '*/10 * * * * *',
  evidence: '*/15 * * * * *',
  challenges: '0 * * * * *',
  heads: '*/10 * * * * *',
  contracts: '*/15 * * * * *',
  escrows: '*/30 * * * * *',
  audit: '0 17 * * * *',
  sweepMs: 86_400_000,
}
