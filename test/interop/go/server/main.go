// The server of a2a-go with the skills of the cells: 1.0 on two bindings, and 0.3. Prints its address; ends with its stdin.
// An argument is a secret that every call must have.
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
)

const step = 100 * time.Millisecond

type skills struct{}

func (skills) Execute(ctx context.Context, asked *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if asked.StoredTask == nil && !yield(a2a.NewSubmittedTask(asked, asked.Message), nil) {
			return
		}
		if !yield(a2a.NewStatusUpdateEvent(asked, a2a.TaskStateWorking, nil), nil) {
			return
		}
		skill, _ := asked.Message.Metadata["skillId"].(string)
		if skill == "approve_payment" && asked.StoredTask == nil {
			yield(a2a.NewStatusUpdateEvent(asked, a2a.TaskStateInputRequired, nil), nil)
			return
		}
		if skill == "countdown" && !counted(ctx, asked.Message.Parts) {
			return
		}
		if yield(a2a.NewArtifactEvent(asked, asked.Message.Parts...), nil) {
			yield(a2a.NewStatusUpdateEvent(asked, a2a.TaskStateCompleted, nil), nil)
		}
	}
}

func (skills) Cancel(_ context.Context, asked *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(asked, a2a.TaskStateCanceled, nil), nil)
	}
}

// Whether the time was over before the task was canceled.
func counted(ctx context.Context, parts []*a2a.Part) bool {
	text, _ := parts[0].Content.(a2a.Text)
	seconds, _ := strconv.Atoi(string(text))
	for range seconds * 3 {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(step):
		}
	}
	return true
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	url := "http://" + listener.Addr().String()
	hooks := push.NewHTTPPushSender(&push.HTTPSenderConfig{AllowPrivateNetworks: true})
	// A list of tasks is for a caller with a name.
	named := func(context.Context) (string, error) { return "anybody", nil }
	tasks := taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: named})
	pushed := a2asrv.WithPushNotifications(push.NewInMemoryStore(), hooks)
	handler := a2asrv.NewHandler(skills{}, a2asrv.WithTaskStore(tasks), pushed)
	mux := http.NewServeMux()
	card := cardAt(url)
	served := http.Handler(mux)
	if len(os.Args) > 1 {
		demand(card)
		served = guarded(mux, os.Args[1])
	}
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/old", a2av0.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	go func() { panic(http.Serve(listener, served)) }()
	fmt.Println(url)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

const keyHeader = "X-Interop-Key"

// A card whose calls need either a bearer token or an API key.
func demand(card *a2a.AgentCard) {
	card.SecuritySchemes = a2a.NamedSecuritySchemes{
		"bearer": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"},
		"key":    a2a.APIKeySecurityScheme{Location: a2a.APIKeySecuritySchemeLocationHeader, Name: keyHeader},
	}
	card.SecurityRequirements = a2a.SecurityRequirementsOptions{{"bearer": {}}, {"key": {}}}
}

func guarded(next http.Handler, secret string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isKnown := r.Header.Get("Authorization") == "Bearer "+secret || r.Header.Get(keyHeader) == secret
		if isKnown || r.URL.Path == a2asrv.WellKnownAgentCardPath {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	})
}

func cardAt(url string) *a2a.AgentCard {
	modes := []string{"text/plain", "application/json", "application/octet-stream"}
	offered := []a2a.AgentSkill{}
	for _, id := range []string{"echo", "countdown", "approve_payment"} {
		offered = append(offered, a2a.AgentSkill{
			ID: id, Name: id, Description: "The skill " + id + ".", Tags: []string{"interop"},
		})
	}
	old := a2a.NewAgentInterface(url+"/old", a2a.TransportProtocolJSONRPC)
	old.ProtocolVersion = "0.3"
	return &a2a.AgentCard{
		Name: "Interop", Description: "The official server of Go.", Version: "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(url+"/rpc", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(url+"/rest", a2a.TransportProtocolHTTPJSON),
			old,
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes:  modes,
		DefaultOutputModes: modes,
		Skills:             offered,
	}
}
