import { hostileBodies } from '../../test/support/hostileBodies.ts'
import { hostileRpc } from '../../test/support/hostileRpc.ts'
import type { Attack } from './attack.ts'

/** Every hostile body, as the answer to all that the daemon asks for three seconds, and every one to JSON-RPC alone. */
export const answerAttacks: readonly Attack[] = [...hostileBodies, ...hostileRpc].map(({ name }) => ({
  name: `answers: ${name}`,
  run: async (target) => ((await target.answerWith(name, 3_000)) > 0 ? null : 'the daemon asked nothing'),
}))
