VERBS = %i[get post].freeze
Rails.application.routes.draw do
  concern :commentable do |options|
    resources :comments, options do
      get :preview, on: :collection
    end
  end
  concern :taggable do
    resource :tag, only: [:show]
  end
  root "home#index"
  namespace :admin do
    root to: "dashboard#show"
    resources :users, only: %i[index show], concerns: [:taggable] do
      member { post :ban; get "history/:year", action: :history, as: :history }
      collection { get :search }
      get :inline
      get "string_inline"
      resources :posts, shallow: true do
        concerns :commentable, only: [:index, :create]
      end
      namespace :deep do
        resources :things, only: :index
      end
    end
    scope module: :inner, path: "in", as: "x" do
      resource :account, controller: "acct", except: [:destroy] do
        get :usage
        post "reset", on: :member
        resources :keys, only: :create, param: :token
      end
    end
  end
  scope "/:locale", locale: /en|fr/ do
    resources :articles, path: "posts", as: :entries, param: :slug do
      resources :news
      resources :statuses, only: [:index, :show]
      new do
        get :import
      end
    end
    get "about", to: "pages#about"
  end
  scope "(:lang)" do
    get "faq" => "pages#faq"
    root to: "home#lang", as: :lang_root
  end
  resources :photos, :albums, only: [:index], path_names: { new: "make", edit: "change" }
  resources :videos, path_names: { new: "make", edit: "change" }, shallow_path: "v" do
    resources :clips, shallow: true
  end
  scope shallow_path: "s", shallow_prefix: "sp" do
    resources :authors, shallow: true do
      resources :books do
        resources :pages do
          get :zoom, on: :member
        end
      end
    end
  end
  VERBS.each do |v|
    match "multi/#{v}", to: "multi##{v}", via: v
  end
  %w[a b].each_with_index { |n, i| get "loop/#{n}/#{i}", to: "loops#show" }
  { one: "first", two: "second" }.each do |k, target|
    get "h/#{k}", controller: "hashed", action: target
  end
  controller :sessions do
    get "login" => :new
    post "login" => :create
    get :logout, action: :destroy
  end
  constraints subdomain: "api" do
    defaults format: :json do
      resources :tokens, only: [:create]
    end
  end
  with_options controller: "legal", via: :get do |l|
    l.match "terms", action: "terms"
    l.match "privacy", action: "privacy"
  end
  get "files/*path", to: "files#show", format: false
  get "static/page"
  get "search(/:q(/:page))", to: "search#index"
  match "any", to: "any#thing", via: :all
  get "/old", to: redirect("/new")
  get :ping, to: "health#ping"
  resources :profile, only: [:show], controller: "people/profile"
  resources :people do
    collection do
      delete :index, action: :destroy_all
      match :bulk, via: [:put, :patch]
    end
    member do
      get :index
      get "show"
    end
  end
  scope only: [:index, :show] do
    resources :birds
    resource :nest
  end
  resource :cart do
    resources :items, only: [:index]
    collection { get :totals }
  end
  resources :orders, constraints: { id: /\d+/ }, id: /x/, except: :show, format: false
  resources :fish
  get "dash-ed/ac-tion", as: "my-name"
  get "with.dots", to: "d#d"
  scope controller: :reports, as: "rep" do
    get "daily"
    get "weekly/:id", action: :weekly
  end
  scope path: "api", module: "api", as: "api" do
    scope "v1", module: :v1 do
      resources :widgets, only: :index do
        resource :part, only: :show
      end
      get "abs", to: "/outer#abs"
    end
  end
  begin
    get "cond", to: "c#c"
    get "cond2", to: "c#c2"
  end
  get "cond3", to: "c#c3" unless false
  shared = lambda do
    get "shared", to: "s#shared"
  end
  scope "l1", &shared
  scope "l2", as: "l2", &shared
  get 'x', 'y', to: "xy#z"
  resources :quizzes, :matrices, :buses, :categories, :companies, only: :show do
    resources :boxes, only: :show
  end
end
