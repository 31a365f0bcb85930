package state

import (
	"context"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/tools"
)

// Skills returns the skills of the session, as their files are now, without those that the
// settings disable.
func (s *Session) Skills(ctx context.Context) definition.Skills {
	c := s.Agent.Settings().Skills
	if !c.Enabled {
		return definition.Skills{}
	}
	return s.Site().Skills(ctx, c.Disabled)
}

// Skills returns the skills of a site, as their files are now, without disabled ones.
func (at Site) Skills(ctx context.Context, disabled []string) definition.Skills {
	return definition.LoadSkills(ctx, at.Definitions("skills", ".claude", own.Gemini, ".agents", own.Emendo), disabled)
}

// SkillSupply supplies a session with the tool that activates its skills.
type SkillSupply struct{ Session *Session }

// Tools implements [Supply]. Without skills there is no tool.
func (s SkillSupply) Tools(ctx context.Context, _ Asker) []tools.Tool {
	skills := s.Session.Skills(ctx)
	if len(skills.List) == 0 {
		return nil
	}
	return []tools.Tool{definition.NewActivateSkill(skills, s.Session.Readable.Add)}
}

// Close implements [Supply].
func (SkillSupply) Close() {}
