import { z } from 'zod'
import { parseDuration } from '../lib/duration.ts'

const expected = 'expected a duration such as 30m'

/** A duration as rules write it, as milliseconds. A bare number has no unit and is refused. */
export const durationText = z
  .string({ error: expected })
  .transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
  .meta({ description: 'A duration with its unit: 250ms, 10s, 1h30m, 7d', examples: ['30m'] })

/** A duration above zero: what has to pass before something may be said. */
export const boundText = durationText.refine((ms) => ms > 0, 'expected a duration above 0')
