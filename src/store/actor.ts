import { cleanText } from '../lib/text.ts'

/** Where a change is made. `cli` is this program's command line, `api` any other program. */
type Via = 'cli' | 'page' | 'api' | 'slack'

export interface Origin {
  readonly via: Via
  /** The client's address, in Slack the user's id; null where there is none. */
  readonly address: string | null
  /** What the token that was shown allows; null where no token is asked for. */
  readonly role: string | null
  /** The beginning of the session's name, which tells sessions of one address apart. */
  readonly session: string | null
}

/** Who changes something, and from where. */
export interface Actor {
  /** As they call themselves; '' when they do not. */
  readonly by: string
  readonly from: Origin
}

/** Nothing of it is believed to be short or clean: a name is typed, an address may come from a header. */
export function cleanActor({ by, from }: Actor): Actor {
  const clean = (text: string | null, most: number) => (text === null ? null : cleanText(text, most).trim())
  return {
    by: cleanText(by, 100).trim(),
    from: {
      via: from.via,
      address: clean(from.address, 100),
      role: clean(from.role, 20),
      session: clean(from.session, 16),
    },
  }
}
