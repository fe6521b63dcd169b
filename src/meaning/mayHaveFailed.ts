import type { Leg, Transfer } from '../bridge/transfer.ts'

/** Whether a transfer may have failed as a whole: no record says its status, and nothing shows that its value arrived. */
export function mayHaveFailed(
  { unsaid, evidence }: Pick<Transfer, 'unsaid' | 'evidence'>,
  destination: Leg | null,
): boolean {
  return (
    unsaid?.includes('status') === true && !(destination !== null && hasArrived({ evidence }, destination))
  )
}

/** Whether what it should arrive by is known to have succeeded. */
export function hasArrived({ evidence }: Pick<Transfer, 'evidence'>, destination: Leg): boolean {
  return evidence.some(
    (one) => one.chain === destination.chain && one.hash === destination.hash && one.status === 'success',
  )
}

/** Whether that is known to have failed, or not to be there: then nothing arrived by it. */
export function isRefused({ evidence }: Pick<Transfer, 'evidence'>, destination: Leg): boolean {
  return (
    !hasArrived({ evidence }, destination) &&
    evidence.some(
      (one) =>
        one.chain === destination.chain &&
        one.hash === destination.hash &&
        (one.status === 'failed' || one.status === 'absent'),
    )
  )
}
