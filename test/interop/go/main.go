// The client of a2a-go in one version, on one binding: main <version> <url> <binding> [<token>].
// It answers calls of the runner, one JSON object a line: {"operation", "args"} by {"value"} or {"error"}.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpcv1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type part struct {
	Text      *string `json:"text,omitempty"`
	Raw       *string `json:"raw,omitempty"`
	Name      string  `json:"name,omitempty"`
	MediaType string  `json:"mediaType,omitempty"`
	Data      any     `json:"data,omitempty"`
}

type message struct {
	Parts     []part `json:"parts"`
	Skill     string `json:"skill"`
	TaskID    string `json:"taskId"`
	ContextID string `json:"contextId"`
	Blocking  *bool  `json:"blocking"`
}

type task struct {
	ID        string `json:"id"`
	ContextID string `json:"contextId"`
	State     string `json:"state"`
	Parts     []part `json:"parts"`
}

type event struct {
	TaskID string `json:"taskId"`
	State  string `json:"state,omitempty"`
	Parts  []part `json:"parts,omitempty"`
}

type webhook struct {
	TaskID string `json:"taskId"`
	ID     string `json:"id"`
	URL    string `json:"url"`
}

type call struct {
	Operation string            `json:"operation"`
	Args      []json.RawMessage `json:"args"`
}

// A credential belongs to a session of the client's own interceptor.
const session = a2aclient.SessionID("interop")

type driver struct {
	url    string
	token  string
	card   *a2a.AgentCard
	client *a2aclient.Client
}

func main() {
	ctx := context.Background()
	d := &driver{url: os.Args[2]}
	if len(os.Args) > 4 {
		d.token = os.Args[4]
		ctx = a2aclient.AttachSessionID(ctx, session)
	}
	connected := d.connect(ctx, os.Args[3], os.Args[1])
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		answer(ctx, d, connected, line)
	}
}

func answer(ctx context.Context, d *driver, connected error, line []byte) {
	var asked call
	err := json.Unmarshal(line, &asked)
	if err == nil {
		err = connected
	}
	var value any
	if err == nil {
		value, err = d.run(ctx, asked)
	}
	reply := map[string]any{"value": value}
	if err != nil {
		reply = map[string]any{"error": err.Error()}
	}
	text, _ := json.Marshal(reply)
	fmt.Println(string(text))
}

func (d *driver) connect(ctx context.Context, binding string, version string) error {
	card, err := agentcard.NewResolver(nil).Resolve(ctx, d.url)
	if err != nil {
		return err
	}
	d.card = card
	known := a2aclient.NewInMemoryCredentialsStore()
	if d.token != "" {
		for scheme := range card.SecuritySchemes {
			known.Set(session, scheme, a2aclient.AuthCredential(d.token))
		}
	}
	d.client, err = a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), transport(binding, version),
		a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: known}))
	return err
}

func transport(binding string, version string) a2aclient.FactoryOption {
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	isOld := version == "0.3"
	switch {
	case binding == "GRPC" && isOld:
		return grpcv0.WithGRPCTransport(plain)
	case binding == "GRPC":
		return grpcv1.WithGRPCTransport(plain)
	case binding == "HTTP+JSON" && isOld:
		return a2av0.WithRESTTransport(a2av0.RESTTransportConfig{})
	case binding == "HTTP+JSON":
		return a2aclient.WithRESTTransport(nil)
	case isOld:
		return a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{})
	default:
		return a2aclient.WithJSONRPCTransport(nil)
	}
}

func (d *driver) run(ctx context.Context, asked call) (any, error) {
	texts := make([]string, 2)
	for at, arg := range asked.Args {
		_ = json.Unmarshal(arg, &texts[at])
	}
	id := a2a.TaskID(texts[0])
	switch asked.Operation {
	case "card":
		skills := []string{}
		for _, skill := range d.card.Skills {
			skills = append(skills, skill.ID)
		}
		return map[string]any{"name": d.card.Name, "skills": skills}, nil
	case "send":
		result, err := d.client.SendMessage(ctx, requestOf(asked.Args[0]))
		if err != nil {
			return nil, err
		}
		sent, ok := result.(*a2a.Task)
		if !ok {
			return nil, fmt.Errorf("got %T", result)
		}
		return taskOf(sent, nil)
	case "repeat":
		var times int
		if err := json.Unmarshal(asked.Args[1], &times); err != nil {
			return nil, err
		}
		return d.repeat(ctx, requestOf(asked.Args[0]), times)
	case "stream":
		return collected(d.client.SendStreamingMessage(ctx, requestOf(asked.Args[0])))
	case "get":
		return taskOf(d.client.GetTask(ctx, &a2a.GetTaskRequest{ID: id}))
	case "cancel":
		return taskOf(d.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}))
	case "subscribe":
		return collected(d.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}))
	case "list":
		listed, err := d.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: texts[0]})
		if err != nil {
			return nil, err
		}
		ids := []string{}
		for _, one := range listed.Tasks {
			ids = append(ids, string(one.ID))
		}
		return ids, nil
	case "setWebhook":
		var wanted webhook
		if err := json.Unmarshal(asked.Args[0], &wanted); err != nil {
			return nil, err
		}
		config := &a2a.PushConfig{TaskID: a2a.TaskID(wanted.TaskID), ID: wanted.ID, URL: wanted.URL}
		return webhookOf(d.client.CreateTaskPushConfig(ctx, config))
	case "getWebhook":
		return webhookOf(d.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: id, ID: texts[1]}))
	case "listWebhooks":
		configs, err := d.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: id})
		if err != nil {
			return nil, err
		}
		found := []any{}
		for _, config := range configs {
			one, _ := webhookOf(config, nil)
			found = append(found, one)
		}
		return found, nil
	case "deleteWebhook":
		return nil, d.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: texts[1]})
	}
	return nil, fmt.Errorf("unknown operation %s", asked.Operation)
}

// repeat sends the same value again: protobuf writes the entries of its maps in another order each time.
func (d *driver) repeat(ctx context.Context, request *a2a.SendMessageRequest, times int) (any, error) {
	request.Metadata = map[string]any{}
	for _, key := range []string{"k1", "k2", "k3", "k4"} {
		request.Message.Metadata[key] = map[string]any{"m": 1, "n": "x", "o": nil}
		request.Metadata[key] = true
	}
	ids := []string{}
	for range times {
		result, err := d.client.SendMessage(ctx, request)
		if err != nil {
			return nil, err
		}
		sent, ok := result.(*a2a.Task)
		if !ok {
			return nil, fmt.Errorf("got %T", result)
		}
		ids = append(ids, string(sent.ID))
	}
	return ids, nil
}

func requestOf(text json.RawMessage) *a2a.SendMessageRequest {
	var wanted message
	_ = json.Unmarshal(text, &wanted)
	parts := []*a2a.Part{}
	for _, one := range wanted.Parts {
		parts = append(parts, partFrom(one))
	}
	sent := a2a.NewMessage(a2a.MessageRoleUser, parts...)
	sent.TaskID = a2a.TaskID(wanted.TaskID)
	sent.ContextID = wanted.ContextID
	if wanted.Skill != "" {
		sent.Metadata = map[string]any{"skillId": wanted.Skill}
	}
	returns := wanted.Blocking != nil && !*wanted.Blocking
	return &a2a.SendMessageRequest{Message: sent, Config: &a2a.SendMessageConfig{ReturnImmediately: returns}}
}

func partFrom(wanted part) *a2a.Part {
	if wanted.Text != nil {
		return a2a.NewTextPart(*wanted.Text)
	}
	if wanted.Raw != nil {
		bytes, _ := base64.StdEncoding.DecodeString(*wanted.Raw)
		made := a2a.NewRawPart(bytes)
		made.Filename, made.MediaType = wanted.Name, wanted.MediaType
		return made
	}
	return a2a.NewDataPart(wanted.Data)
}

func partsOf(artifact *a2a.Artifact) []part {
	parts := []part{}
	for _, one := range artifact.Parts {
		made := part{Name: one.Filename, MediaType: one.MediaType}
		switch content := one.Content.(type) {
		case a2a.Text:
			text := string(content)
			made.Text = &text
		case a2a.Raw:
			raw := base64.StdEncoding.EncodeToString(content)
			made.Raw = &raw
		case a2a.Data:
			made.Data = content.Value
		}
		parts = append(parts, made)
	}
	return parts
}

func taskOf(found *a2a.Task, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	parts := []part{}
	for _, artifact := range found.Artifacts {
		parts = append(parts, partsOf(artifact)...)
	}
	return task{string(found.ID), found.ContextID, string(found.Status.State), parts}, nil
}

func collected(stream iter.Seq2[a2a.Event, error]) (any, error) {
	events := []event{}
	for one, err := range stream {
		if err != nil {
			return nil, err
		}
		switch update := one.(type) {
		case *a2a.Task:
			events = append(events, event{TaskID: string(update.ID), State: string(update.Status.State)})
		case *a2a.TaskStatusUpdateEvent:
			events = append(events, event{TaskID: string(update.TaskID), State: string(update.Status.State)})
		case *a2a.TaskArtifactUpdateEvent:
			events = append(events, event{TaskID: string(update.TaskID), Parts: partsOf(update.Artifact)})
		}
	}
	return events, nil
}

func webhookOf(config *a2a.PushConfig, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return webhook{string(config.TaskID), config.ID, config.URL}, nil
}
