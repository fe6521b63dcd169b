import type { Posted } from '../../test/support/fakeSlack/methods.ts'
import { discordStyles, discordView } from './discordView.ts'
import { type Drawn, page } from './draw.ts'
import { mailStyles, mailView, textMailView } from './mailView.ts'
import { type SlackPost, slackStyles, slackView } from './slackView.ts'
import { teamsStyles, teamsView } from './teamsView.ts'
import { telegramStyles, telegramView } from './telegramView.ts'
import type { Told } from './tellScene.ts'

export interface Picture {
  readonly name: string
  readonly html: string
  readonly width: number
  /** A longer message is cut there, as one that scrolls. */
  readonly mostHeight: number
  readonly scheme: 'light' | 'dark'
}

/** The pictures of a scene, of what each service was sent first. */
export function listPictures(scene: string, told: Told): Picture[] {
  const draw = (name: string, body: Drawn, more: Partial<Picture> & { readonly styles: string }): Picture => {
    const { styles, width = 680, mostHeight = 1_150, scheme = 'light' } = more
    return { name: `${scene}-${name}`, html: page({ styles, width, body }), width, mostHeight, scheme }
  }
  const [teams] = told.teams
  const [discord] = told.discord
  const [mail] = told.mails
  if (mail === undefined) throw new Error(`${scene}: no mail was sent`)
  const pictures = [
    draw('slack', slackView([{ payload: told.slack[0], at: '09:42' }]), { styles: slackStyles }),
    draw('slack-app', slackView(threadOf(told.slackApp)), { styles: slackStyles }),
    draw('teams', teamsView(teams), { styles: teamsStyles }),
    draw('discord', discordView(discord), { styles: discordStyles }),
    draw('telegram', telegramView(told.telegram[0]), { styles: telegramStyles, width: 560 }),
    draw('mail', mailView(mail, 'light'), { styles: mailStyles, width: 640 }),
  ]
  if (scene !== 'theft') return pictures
  return [
    ...pictures,
    draw('mail-phone', mailView(mail, 'light'), { styles: mailStyles, width: 360 }),
    draw('mail-dark', mailView(mail, 'dark'), { styles: mailStyles, width: 640, scheme: 'dark' }),
    draw('mail-text', textMailView(mail), { styles: mailStyles, width: 680 }),
  ]
}

/** The first case's first message, and of what follows it the first, the first that the whole channel sees, and the newest. */
function threadOf(posted: readonly Posted[]): SlackPost[] {
  const [root] = posted.filter(({ thread_ts }) => thread_ts === undefined)
  const replies = posted.filter(({ thread_ts }) => thread_ts === root?.ts)
  const wide = replies.find(({ reply_broadcast: isWide }) => isWide === true)
  const shown = new Set([replies[0], wide, replies.at(-1)].filter((one) => one !== undefined))
  return root === undefined
    ? []
    : [{ ...toPost(root), count: replies.length, replies: [...shown].map(toPost) }]
}

function toPost(post: Posted): SlackPost {
  return {
    payload: post,
    at: new Date(Number(post.ts) * 1_000).toISOString().slice(11, 16),
    isEdited: post.edits > 0,
    isBroadcast: post.reply_broadcast === true,
  }
}
