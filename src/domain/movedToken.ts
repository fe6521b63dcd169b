import { canonicalToken } from './escrowFlow.ts'
import type { TransferToken } from './transfer.ts'

/**
 * The address that movements of a transfer's money bear on the main chain; '' is the native currency. Mostly the
 * record's own; deployments whose records name the zone's side of a token are learned, see `learnedMoney.ts`.
 */
export function movedToken({ address, movedAs }: Pick<TransferToken, 'address' | 'movedAs'>): string {
  return movedAs ?? canonicalToken(address)
}
