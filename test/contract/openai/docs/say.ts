import OpenAI from 'openai';

/** Says something to a skill, and gets its answer in one text. */
export async function say(baseURL: string, apiKey: string, skill: string, text: string): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey });
  const stream = await client.chat.completions.create({
    model: skill,
    messages: [{ role: 'user', content: text }],
    stream: true,
  });
  let answer = '';
  for await (const chunk of stream) answer += chunk.choices[0]?.delta.content ?? '';
  return answer;
}
