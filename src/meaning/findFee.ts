import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'

/** At most so much may be kept of a transfer, or move beside it: token units. */
export interface Fee {
  readonly token: string
  readonly direction: string
  readonly max: string
}

type Claim = Pick<Transfer, 'direction'> & {
  readonly token: Pick<Transfer['token'], 'address' | 'movedAs'>
}

/** The configuration may name a token by the address that records name, or by the one that it moves under. */
export function findFee(fees: readonly Fee[], { token, direction }: Claim): Fee | undefined {
  const names = [canonicalToken(token.address), movedToken(token)]
  return fees.find((one) => names.includes(canonicalToken(one.token)) && one.direction === direction)
}
