import { movedToken, toCanonicalId } from '../bridge/movedToken.ts'
import { isBatch, type Transfer } from '../bridge/transfer.ts'

/**
 * The same with the id that its main transaction moved, where its record names none: of ERC-721 records are documented not
 * to. Of several to one recipient nobody knows which is whose.
 */
export function withMovedId(transfer: Transfer): Transfer {
  const { direction, evidence, main, targetAddress, token } = transfer
  if (token.id !== '' || !/721/.test(token.type) || main === null || isBatch(transfer)) return transfer
  const own = movedToken(token)
  const moves = evidence.flatMap((one) =>
    one.chain === 'main' && one.hash === main.hash && one.status === 'success' ? (one.moves ?? []) : [],
  )
  const ids = moves
    .filter((move) => move.token === own && move.tokenId !== '')
    .filter(({ to }) => direction === 'MainToZone' || to === targetAddress)
    .map(({ tokenId }) => toCanonicalId(tokenId))
  const [id, ...others] = new Set(ids)
  return id === undefined || others.length > 0 ? transfer : { ...transfer, token: { ...token, id } }
}
